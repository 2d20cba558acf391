import { createIdleThreads, IDLE_MS, type Thread } from './idle-threads.ts'
import type { FileFault, WholeFile } from './keep-files.ts'

/**
 * Makes a file of these pieces under a name that is free; once it resolves both are on the disk.
 * @throws NodeJS.ErrnoException as the operating system said it
 */
export type KeepFile = (path: string, pieces: readonly Uint8Array[], size: number) => Promise<void>

export type WriteThreads = { readonly keep: KeepFile; readonly close: () => Promise<void> }

type Job = { readonly file: WholeFile; readonly settle: (fault: FileFault | null) => void }
type Faults = readonly (FileFault | null)[]

/** Files that one thread takes at a time: so many are open in it at once. */
const MOST_AT_ONCE = 32
/** What a thread runs is compiled, also where this module is not. */
const CODE = new URL('../../dist/bytes/write-thread.js', import.meta.url)

/**
 * Threads that make small files by calls that wait (keep-files.ts). Of the asynchronous calls each wakes a thread and the loop again, seven times a file: most of what a
 * small upload costs. Here a file costs one message there and one back, and those that come while all threads are busy share them. The threads are none of Node's
 * own, so a slow disk takes none from readers.
 */
export function createWriteThreads(most: number, idleMs = IDLE_MS): WriteThreads {
  const threads = createIdleThreads<readonly WholeFile[], Faults>({ code: CODE, idleMs })
  const waiting: Job[] = []
  let scheduled = false
  let closed = false

  const idle = () => [...threads.all].filter((thread) => !thread.isBusy())

  /** Shares what waits among the threads that are free: on a disk that takes its time, flushes of several threads are one to the journal. */
  function hand(): void {
    scheduled = false
    const free = idle()
    for (let left = free.length + most - threads.all.size; left > 0 && waiting.length > 0; left--) {
      const jobs = waiting.splice(0, Math.min(MOST_AT_ONCE, Math.ceil(waiting.length / left)))
      void keepIn(free.pop() ?? threads.start(), jobs)
    }
  }

  async function keepIn(thread: Thread<readonly WholeFile[], Faults>, jobs: readonly Job[]): Promise<void> {
    const files = jobs.map(({ file }) => file)
    const buffers = files.map(({ bytes }) => bytes.buffer as ArrayBuffer)
    const faults = await thread
      .ask(files, buffers)
      .catch((error: Error) => jobs.map(() => fault(`a thread that writes ended: ${error.message}`)))
    hand()
    for (const [i, { settle }] of jobs.entries()) settle(faults[i] ?? null)
  }

  return {
    keep: (path, pieces, size) =>
      new Promise((resolve, reject) => {
        // of its own, since it goes over to the thread
        const bytes = Buffer.allocUnsafeSlow(size)
        let at = 0
        for (const piece of pieces) {
          bytes.set(piece, at)
          at += piece.length
        }
        const settle = (fault: FileFault | null) => {
          if (fault === null) resolve()
          else reject(Object.assign(new Error(fault.message), { code: fault.code, syscall: fault.syscall }))
        }
        if (closed) return settle(fault('the store is closed'))
        waiting.push({ file: { path, bytes }, settle })
        if (scheduled || (threads.all.size === most && idle().length === 0)) return
        // what comes in the same turn goes out together
        scheduled = true
        setImmediate(hand)
      }),
    close: () => {
      closed = true
      return threads.close()
    },
  }
}

const fault = (message: string): FileFault => ({ message, code: 'EIO', syscall: 'write' })
