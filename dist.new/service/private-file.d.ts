/** Written whole or not at all, on disk when this returns, readable by us alone. */
export declare function writePrivateFile(path: string, text: string): Promise<void>;
/** null when there is no such file. */
export declare const readPrivateFile: (path: string) => Promise<string | null>;
/** Makes a rename or a new name in the folder outlast a power cut (fsync(2)). */
export declare function syncFolder(folder: string): Promise<void>;
