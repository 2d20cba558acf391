import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
/** Folder of the package, where `migrations`, `sql` and `extension` lie: two above this file, as source and as compiled. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const packageVersion = () => JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')).version;
