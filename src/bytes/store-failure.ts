import { StoreFailed } from './byte-store.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const BUSY = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY'])

/** What the operating system said of a file (errno(3)), as the store's own failure; every other error is handed on as it is. */
export function storeFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const code = String((error as NodeJS.ErrnoException).code)
  return new StoreFailed(FULL.has(code) ? 'full' : BUSY.has(code) ? 'busy' : 'broken', error.message, { cause: error })
}
