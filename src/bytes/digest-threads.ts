import { Worker } from 'node:worker_threads'
import { type StoredBytes, StoreFailed } from './byte-store.ts'
import { createFingerprint, type HalfName } from './fingerprint.ts'

/** Hashes one body, piece by piece. */
export type Digest = {
  /** `piece` lies in memory that all threads see; once it resolves, the memory may be used for something else */
  readonly add: (piece: Uint8Array) => Promise<void>
  /** with the last piece, which may be empty */
  readonly finish: (piece: Uint8Array) => Promise<StoredBytes>
  /** for a body that does not come to its end */
  readonly forget: () => void
}

export type DigestThreads = {
  /** what it answers fails with StoreFailed when a thread has ended */
  readonly begin: () => Digest
  readonly close: () => Promise<void>
}

/** `piece` null: the body is forgotten, and nothing is answered. */
export type DigestRequest = {
  readonly body: number
  readonly halves: readonly HalfName[]
  readonly piece: Uint8Array | null
  readonly isLast: boolean
}

/** What was computed, with the last piece. */
export type DigestReply = Partial<StoredBytes> | null

type Waiting = { readonly done: (reply: DigestReply) => void; readonly failed: (error: Error) => void }
type Thread = {
  readonly worker: Worker
  readonly bodies: Set<number>
  /** in the order in which they are answered */
  readonly waiting: Waiting[]
  idleSince: number
  hasEnded: boolean
}
/** What one thread computes of a body. */
type Share = { readonly thread: Thread; readonly halves: readonly HalfName[] }

/** What a thread runs is compiled, also where this module is not. */
const CODE = new URL('../../dist/bytes/digest-thread.js', import.meta.url)
/** Then a thread gives its memory back. */
const IDLE_MS = 5_000
/** They hold nothing but the states of hashes. */
const HEAP = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 }
const WHOLE: readonly HalfName[] = ['md5', 'others']

/**
 * Hashes of large bodies, computed beside the thread that receives them: half of what an upload costs. A body stays in one thread, or, when it comes
 * while there is no other, is shared by two. Threads are started when there is work for them, end when there is none for a while, and keep no process from ending.
 */
export function createDigestThreads(most: number, idleMs = IDLE_MS): DigestThreads {
  const threads = new Set<Thread>()
  let lastBody = 0
  let closed = false
  let looking: NodeJS.Timeout | null = null

  const look = () => {
    const now = performance.now()
    for (const thread of threads) {
      if (thread.bodies.size > 0 || thread.waiting.length > 0 || now - thread.idleSince < idleMs) continue
      threads.delete(thread)
      void thread.worker.terminate()
    }
    if (threads.size > 0 || looking === null) return
    clearInterval(looking)
    looking = null
  }

  const start = (): Thread => {
    const worker = new Worker(CODE, { resourceLimits: HEAP })
    worker.unref()
    const thread: Thread = { worker, bodies: new Set(), waiting: [], idleSince: performance.now(), hasEnded: false }
    threads.add(thread)
    looking ??= setInterval(look, idleMs).unref()
    const end = (why: string) => {
      thread.hasEnded = true
      threads.delete(thread)
      for (const { failed } of thread.waiting.splice(0)) failed(new StoreFailed('broken', why))
    }
    worker.on('message', (reply: DigestReply) => {
      const next = thread.waiting.shift()
      if (thread.waiting.length === 0) worker.unref()
      next?.done(reply)
    })
    worker.on('error', (error) => end(`${ENDED}: ${error.message}`))
    worker.on('exit', () => end(ENDED))
    return thread
  }

  /** One that has nothing to do, else a new one, else the one with the fewest bodies. */
  const choose = (): Thread => {
    const [first] = [...threads].sort((a, b) => a.bodies.size - b.bodies.size)
    return first && (first.bodies.size === 0 || threads.size >= most) ? first : start()
  }

  const share = (body: number): readonly Share[] => {
    const isAlone = [...threads].every(({ bodies }) => bodies.size === 0)
    const parts: readonly (readonly HalfName[])[] = isAlone && most > 1 ? [['md5'], ['others']] : [WHOLE]
    return parts.map((halves) => {
      const thread = choose()
      thread.bodies.add(body)
      return { thread, halves }
    })
  }

  return {
    begin: () => {
      const body = ++lastBody
      const shares = closed ? [] : share(body)
      const ask = async (piece: Uint8Array, isLast: boolean) => {
        if (closed) throw new StoreFailed('broken', 'the store is closed')
        return Promise.all(shares.map(({ thread, halves }) => askThread(thread, { body, halves, piece, isLast })))
      }
      const leave = () => {
        for (const { thread } of shares) {
          thread.bodies.delete(body)
          thread.idleSince = performance.now()
        }
      }
      return {
        add: async (piece) => void (await ask(piece, false)),
        finish: async (piece) => {
          const parts = await ask(piece, true)
          leave()
          return Object.assign({}, ...parts)
        },
        forget: () => {
          leave()
          for (const { thread, halves } of shares) post(thread, { body, halves, piece: null, isLast: true })
        },
      }
    },
    close: async () => {
      closed = true
      if (looking) clearInterval(looking)
      looking = null
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}

const ENDED = 'a thread that hashes ended'

const askThread = (thread: Thread, request: DigestRequest): Promise<DigestReply> =>
  new Promise((done, failed) => {
    if (thread.hasEnded) return failed(new StoreFailed('broken', ENDED))
    if (thread.waiting.length === 0) thread.worker.ref()
    thread.waiting.push({ done, failed })
    post(thread, request)
  })

const post = ({ worker }: Thread, request: DigestRequest): void => worker.postMessage(request)

/** The same in the calling thread. */
export function digestHere(): Digest {
  const fingerprint = createFingerprint()
  return {
    add: async (piece) => fingerprint.add(piece),
    finish: async (piece) => {
      fingerprint.add(piece)
      return fingerprint.finish()
    },
    forget: () => undefined,
  }
}
