import type { FsIo } from './fs-io.ts';
export type FolderKeeper = {
    readonly homeOf: (version: string) => string;
    /** makes the folder and those above it, below the store's own, and lets each be found again after a power cut */
    readonly ensure: (folder: string) => Promise<void>;
    readonly forget: (folder: string) => void;
};
/**
 * The folders `ab/cd` of a store. A folder counts as known only when the folder above it was flushed by this process: one that was
 * met may have been made just before a crash, and then nothing says yet that its name is on the disk.
 */
export declare function createFolderKeeper(root: string, io: FsIo): FolderKeeper;
export declare function syncFolder(folder: string, io: FsIo): Promise<void>;
