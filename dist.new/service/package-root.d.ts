/** Folder of the package, where `migrations`, `sql` and `extension` lie: two above this file, as source and as compiled. */
export declare const PACKAGE_ROOT: string;
export declare const packageVersion: () => string;
