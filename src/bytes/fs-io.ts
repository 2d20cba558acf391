import type fsPromises from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

/** The part of `node:fs/promises` that the store uses, so that tests can let the n-th call fail. */
export type FsIo = Pick<typeof fsPromises, 'mkdir' | 'unlink' | 'readdir'> & {
  readonly open: (path: string, flags: string, mode?: number) => Promise<FsFile>
}

export type FsFile = Pick<FileHandle, 'read' | 'write' | 'writev' | 'stat' | 'sync' | 'close'>
