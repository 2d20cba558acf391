import { Worker } from 'node:worker_threads'
import type { FileFault, WholeFile } from './keep-files.ts'

/**
 * Makes a file of these pieces under a name that is free; once it resolves both are on the disk.
 * @throws NodeJS.ErrnoException as the operating system said it
 */
export type KeepFile = (path: string, pieces: readonly Uint8Array[], size: number) => Promise<void>

export type WriteThreads = { readonly keep: KeepFile; readonly close: () => Promise<void> }

type Job = { readonly file: WholeFile; readonly settle: (fault: FileFault | null) => void }
type Thread = { readonly worker: Worker; underWay: readonly Job[]; idleSince: number }

/** Files that one thread takes at a time: so many are open in it at once. */
const MOST_AT_ONCE = 32
/** What a thread runs is compiled, also where this module is not. */
const CODE = new URL('../../dist/bytes/write-thread.js', import.meta.url)
/** Then a thread gives its memory back. */
const IDLE_MS = 5_000
/** They hold no objects that last; what they write lies outside of the heap. */
const HEAP = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 }

/**
 * Threads that make small files by calls that wait (keep-files.ts). Of the asynchronous calls each wakes a thread and the loop again, seven times a file: most of what a
 * small upload costs. Here a file costs one message there and one back, and those that come while all threads are busy share them. The threads are none of Node's
 * own, so a slow disk takes none from readers. They are started when there is work for them, end when there is none for a while, and keep no process from ending.
 */
export function createWriteThreads(most: number, idleMs = IDLE_MS): WriteThreads {
  const waiting: Job[] = []
  const idle: Thread[] = []
  const all = new Set<Thread>()
  let scheduled = false
  let closed = false
  let looking: NodeJS.Timeout | null = null

  const look = () => {
    const now = performance.now()
    for (const thread of idle.filter(({ idleSince }) => now - idleSince >= idleMs)) {
      idle.splice(idle.indexOf(thread), 1)
      all.delete(thread)
      void thread.worker.terminate()
    }
    if (all.size > 0 || looking === null) return
    clearInterval(looking)
    looking = null
  }

  const start = (): Thread => {
    const thread: Thread = { worker: new Worker(CODE, { resourceLimits: HEAP }), underWay: [], idleSince: 0 }
    all.add(thread)
    const end = (fault: FileFault | null) => {
      const jobs = thread.underWay
      thread.underWay = []
      all.delete(thread)
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
      for (const { settle } of jobs) settle(fault)
      hand()
    }
    thread.worker.on('message', (faults: readonly (FileFault | null)[]) => {
      const jobs = thread.underWay
      thread.underWay = []
      thread.worker.unref()
      thread.idleSince = performance.now()
      idle.push(thread)
      looking ??= setInterval(look, idleMs).unref()
      hand()
      for (const [i, { settle }] of jobs.entries()) settle(faults[i] ?? null)
    })
    thread.worker.on('error', (error) => end({ message: `a thread that writes ended: ${error.message}`, code: 'EIO', syscall: 'write' }))
    thread.worker.on('exit', () => end({ message: 'a thread that writes ended', code: 'EIO', syscall: 'write' }))
    return thread
  }

  /** Shares what waits among the threads that are free: on a disk that takes its time, flushes of several threads are one to the journal. */
  function hand(): void {
    scheduled = false
    while (waiting.length > 0) {
      const free = idle.length + most - all.size
      if (free === 0) return
      const thread = idle.pop() ?? start()
      const jobs = waiting.splice(0, Math.min(MOST_AT_ONCE, Math.ceil(waiting.length / free)))
      thread.underWay = jobs
      thread.worker.ref()
      const files = jobs.map(({ file }) => file)
      thread.worker.postMessage(
        files,
        files.map(({ bytes }) => bytes.buffer as ArrayBuffer),
      )
    }
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
        if (closed) return settle({ message: 'the store is closed', code: 'EIO', syscall: 'open' })
        waiting.push({ file: { path, bytes }, settle })
        if (scheduled || (idle.length === 0 && all.size === most)) return
        // what comes in the same turn goes out together
        scheduled = true
        setImmediate(hand)
      }),
    close: async () => {
      closed = true
      if (looking) clearInterval(looking)
      // one that hangs in a call that does not return cannot be ended, and is not waited for
      await Promise.all([...all].filter(({ underWay }) => underWay.length === 0).map(({ worker }) => worker.terminate()))
    },
  }
}
