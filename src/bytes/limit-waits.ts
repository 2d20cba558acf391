import type { Milliseconds } from '../std/brand.ts'
import { StoreFailed } from './byte-store.ts'
import type { FsFile, FsIo } from './fs-io.ts'

/** The same promise, but given up after the limit; what comes later is handed to `tooLate`. */
export type Patience = <T>(work: Promise<T>, tooLate?: (value: T) => void) => Promise<T>

export function createPatience(limitMs: Milliseconds): Patience {
  return (work, tooLate) =>
    new Promise((resolve, reject) => {
      let isOver = false
      const timer = setTimeout(() => {
        isOver = true
        reject(new StoreFailed('busy', `the disk did not answer within ${limitMs} ms`))
      }, limitMs)
      work.then(
        (value) => {
          clearTimeout(timer)
          if (isOver) tooLate?.(value)
          else resolve(value)
        },
        (error) => {
          clearTimeout(timer)
          reject(error)
        },
      )
    })
}

/**
 * The same calls, none of which keeps a request for ever: a network mount that is gone or a dying drive does not answer and reports
 * nothing. A call that was given up may still happen, on a thread that stays taken until then; a file that opens too late is closed.
 * `sync` is left as it is, since flushes queue for their turn and the wait for it counts too.
 */
export function limitWaits(io: FsIo, patience: Patience): FsIo {
  return {
    open: async (path, flags, mode) =>
      limitFile(await patience(io.open(path, flags, mode), (file) => void file.close().catch(() => undefined)), patience),
    mkdir: ((path, options) => patience(io.mkdir(path, options))) as FsIo['mkdir'],
    unlink: (path) => patience(io.unlink(path)),
    readdir: ((path: string) => patience(io.readdir(path))) as FsIo['readdir'],
  }
}

function limitFile(file: FsFile, patience: Patience): FsFile {
  let underWay = 0
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    underWay++
    try {
      return await work
    } finally {
      underWay--
    }
  }
  const limited = <T>(work: Promise<T>): Promise<T> => patience(counted(work))
  return {
    read: ((...args: Parameters<FsFile['read']>) => limited(file.read(...args))) as FsFile['read'],
    write: ((...args: Parameters<FsFile['write']>) => limited(file.write(...args))) as FsFile['write'],
    writev: (...args) => limited(file.writev(...args)),
    stat: ((...args: Parameters<FsFile['stat']>) => limited(file.stat(...args))) as FsFile['stat'],
    sync: () => counted(file.sync()),
    close: async () => {
      const closed = file.close()
      // Node closes a file when its calls have ended; nobody waits for one that was given up
      if (underWay === 0) return patience(closed)
      closed.catch(() => undefined)
    },
  }
}
