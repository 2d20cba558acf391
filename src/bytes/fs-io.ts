import type fsPromises from 'node:fs/promises'

/** The part of `node:fs/promises` that the store uses, so that tests can let the n-th call fail. */
export type FsIo = Pick<typeof fsPromises, 'open' | 'mkdir' | 'unlink' | 'readdir'>
