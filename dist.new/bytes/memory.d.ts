import { type ByteStore } from './byte-store.ts';
/** Bytes in the process, for tests: gone with it, and as large as its heap. */
export declare function createMemoryByteStore(): ByteStore;
