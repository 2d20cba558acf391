import { type TransferListItem, Worker } from 'node:worker_threads'

/** A thread that is asked for one thing after another. */
export type Thread<Request, Reply> = {
  /**
   * Answered in the order of asking.
   * @throws ThreadEnded when the thread has ended, or does before it answers
   */
  readonly ask: (request: Request, transfer?: readonly TransferListItem[]) => Promise<Reply>
  /** Nothing is answered. */
  readonly tell: (request: Request) => void
  /** whether an answer is awaited */
  readonly isBusy: () => boolean
}

export type IdleThreads<Request, Reply> = {
  /** those that have not ended */
  readonly all: ReadonlySet<Thread<Request, Reply>>
  readonly start: () => Thread<Request, Reply>
  /** Ends all. One that is busy ends when it has answered, and is not waited for: it may hang in a call that does not return. */
  readonly close: () => Promise<void>
}

export type IdleThreadsOptions<Request, Reply> = {
  /** what a thread runs: a module that answers each message it is asked with */
  readonly code: URL
  /** then a thread that has nothing to do ends, and gives its memory back */
  readonly idleMs: number
  /** whether a thread has something to do though no answer is awaited */
  readonly isNeeded?: (thread: Thread<Request, Reply>) => boolean
}

export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

export const IDLE_MS = 5_000
/** They hold hardly anything in the heap: what they work at lies outside of it. */
const HEAP = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 }

/** Threads that are started when there is work for them, end when there has been none for a while, and keep no process from ending. */
export function createIdleThreads<Request, Reply>({
  code,
  idleMs,
  isNeeded = () => false,
}: IdleThreadsOptions<Request, Reply>): IdleThreads<Request, Reply> {
  type Waiting = { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void }
  type Running = Thread<Request, Reply> & { idleSince: number; readonly end: () => Promise<unknown> }
  const all = new Set<Running>()
  let isClosed = false
  let looking: NodeJS.Timeout | null = null

  const remove = (thread: Running): void => {
    all.delete(thread)
    if (all.size > 0 || looking === null) return
    clearInterval(looking)
    looking = null
  }

  const look = (): void => {
    const longAgo = performance.now() - idleMs
    for (const thread of all) if (!thread.isBusy() && !isNeeded(thread) && thread.idleSince <= longAgo) void thread.end()
  }

  const start = (): Thread<Request, Reply> => {
    const worker = new Worker(code, { resourceLimits: HEAP })
    worker.unref()
    const waiting: Waiting[] = []
    let why: string | null = null
    const ended = (reason: string): void => {
      why ??= reason
      remove(thread)
      for (const { reject } of waiting.splice(0)) reject(new ThreadEnded(why))
    }
    const thread: Running = {
      idleSince: performance.now(),
      end: () => {
        ended('it was not needed any more')
        return worker.terminate()
      },
      isBusy: () => waiting.length > 0,
      tell: (request) => worker.postMessage(request),
      ask: (request, transfer = []) =>
        new Promise((resolve, reject) => {
          if (why !== null) return reject(new ThreadEnded(why))
          // first: what cannot be sent is not waited for
          worker.postMessage(request, transfer)
          if (waiting.length === 0) worker.ref()
          waiting.push({ resolve, reject })
        }),
    }
    worker.on('message', (reply: Reply) => {
      const next = waiting.shift()
      if (waiting.length === 0) {
        thread.idleSince = performance.now()
        worker.unref()
        if (isClosed) void thread.end()
      }
      next?.resolve(reply)
    })
    worker.on('error', (error) => ended(error.message))
    worker.on('exit', () => ended('it exited'))
    all.add(thread)
    looking ??= setInterval(look, idleMs).unref()
    return thread
  }

  return {
    all,
    start,
    close: async () => {
      isClosed = true
      await Promise.all(Array.from(all, (thread) => (thread.isBusy() ? undefined : thread.end())))
    },
  }
}
