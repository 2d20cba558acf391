/** What the holder of a folder tells others: nothing secret, since any account of the machine may ask. */
export type FolderHolder = {
    readonly pid: number;
    readonly baseUrl: string | null;
};
export type FolderLock = {
    readonly release: () => Promise<void>;
};
/**
 * Takes a data folder for this process. The lock is a listening socket, so it ends with the process however that ends,
 * and no number of a dead process has to be judged.
 *
 * @param holder asked whenever another process wants the folder
 * @throws StartupError naming the process that has it
 */
export declare function lockFolder(folder: string, holder: () => FolderHolder): Promise<FolderLock>;
/** The process that serves from the folder, or null. */
export declare function holderOf(folder: string): Promise<FolderHolder | null>;
