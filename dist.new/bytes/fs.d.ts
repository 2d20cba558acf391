import { type ByteStore } from './byte-store.ts';
import type { FsIo } from './fs-io.ts';
export type FsByteStoreOptions = {
    /** an existing folder; versions lie below it as `ab/cd/<version>` */
    readonly folder: string;
    /** flushes under way at once: Node's thread pool is shared by all file work, and a slow disk must leave threads to readers */
    readonly maxConcurrentSyncs: number;
    readonly io?: FsIo;
};
/**
 * Bytes in files. A version is written under its final name, exclusively, and is reachable only through a committed row, so there is
 * no temporary name and no rename; what a crash leaves behind is found through its intent. Order: file, fsync, close, fsync of its
 * folder (and, when it is new, of the folders above), then `put` resolves. An error of any of these fails the put for good:
 * after a failed fsync the kernel may have dropped the pages, so trying again would lie (PostgreSQL manual, data_sync_retry).
 */
export declare function createFsByteStore({ folder, maxConcurrentSyncs, io }: FsByteStoreOptions): ByteStore;
