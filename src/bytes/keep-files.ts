import type fs from 'node:fs'
import { dirname } from 'node:path'

/** The part of `node:fs` that small files are kept with, so that tests can let the n-th call fail. */
export type SyncIo = Pick<typeof fs, 'openSync' | 'writeSync' | 'fsyncSync' | 'closeSync' | 'unlinkSync'>

export type WholeFile = { readonly path: string; readonly bytes: Uint8Array }

/** What the operating system said, in a form that passes between threads. */
export type FileFault = { readonly message: string; readonly code: string; readonly syscall: string }

const FILE_MODE = 0o600

/**
 * Makes files under names that are free, each with one write: file, fsync, close, then the fsync of their folders, once for all that lie in one. Calls that wait:
 * for a thread that has nothing else to do. What fails is taken away again, and is not tried a second time.
 * @returns for each, in order: null when it and its name are on the disk, else why not
 */
export function keepFiles(files: readonly WholeFile[], io: SyncIo): (FileFault | null)[] {
  // written all, then flushed all: the first flush of a journal that holds them all leaves the others little to do
  const written = files.map((file) => attempt(() => write(file, io)))
  const faults = written.map((outcome) => (typeof outcome === 'number' ? flush(outcome, io) : outcome))
  const folders = new Map<string, FileFault | null>()
  return files.map(({ path }, i) => {
    const fault = faults[i] ?? folderOf(path)
    if (fault && typeof written[i] === 'number') remove(path, io)
    return fault
  })

  function folderOf(path: string): FileFault | null {
    const folder = dirname(path)
    const known = folders.get(folder)
    if (known !== undefined) return known
    const opened = attempt(() => io.openSync(folder, 'r'))
    const fault = typeof opened === 'number' ? flush(opened, io) : opened
    folders.set(folder, fault)
    return fault
  }
}

/** Answers the descriptor of a file that holds the bytes, not flushed yet. */
function write({ path, bytes }: WholeFile, io: SyncIo): number {
  const file = io.openSync(path, 'wx', FILE_MODE)
  try {
    for (let at = 0; at < bytes.length; ) {
      const count = io.writeSync(file, bytes, at, bytes.length - at)
      // a full disk takes a part and says so only to the next write
      if (count === 0) throw Object.assign(new Error('the file takes no more bytes'), { code: 'ENOSPC', syscall: 'write' })
      at += count
    }
    return file
  } catch (error) {
    attempt(() => io.closeSync(file))
    remove(path, io)
    throw error
  }
}

/** Closes it, too, whatever happens. */
function flush(file: number, io: SyncIo): FileFault | null {
  const synced = attempt(() => io.fsyncSync(file))
  const closed = attempt(() => io.closeSync(file))
  return synced ?? closed ?? null
}

function remove(path: string, io: SyncIo): void {
  attempt(() => io.unlinkSync(path))
}

function attempt<T>(work: () => T): T | FileFault {
  try {
    return work()
  } catch (error) {
    const { message = String(error), code = '', syscall = '' } = error as Partial<FileFault>
    return { message, code, syscall }
  }
}
