import { fileURLToPath } from 'node:url';
/** Folder of the package, where `migrations`, `sql` and `extension` lie: two above this file, as source and as compiled. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../..', import.meta.url));
