import { DamagedBytes, type StoredBytes, StoreFailed } from './byte-store.ts'
import { createChecksum, createFingerprint, type HalfName } from './fingerprint.ts'
import { createIdleThreads, IDLE_MS, type Thread } from './idle-threads.ts'

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

type DigestThread = Thread<DigestRequest, DigestReply>
/** What one thread computes of a body. */
type Share = { readonly thread: DigestThread; readonly halves: readonly HalfName[] }

/** What a thread runs is compiled, also where this module is not. */
const CODE = new URL('../../dist/bytes/digest-thread.js', import.meta.url)
const WHOLE: readonly HalfName[] = ['md5', 'others']

/**
 * Hashes of large bodies, computed beside the thread that receives them: half of what an upload costs. A body stays in one thread, or, when it comes
 * while there is no other, is shared by two.
 */
export function createDigestThreads(most: number, idleMs = IDLE_MS): DigestThreads {
  const bodies = new WeakMap<DigestThread, Set<number>>()
  const bodiesOf = (thread: DigestThread) => bodies.get(thread)?.size ?? 0
  const threads = createIdleThreads<DigestRequest, DigestReply>({ code: CODE, idleMs, isNeeded: (thread) => bodiesOf(thread) > 0 })
  let lastBody = 0
  let closed = false

  /** One that has nothing to do, else a new one, else the one with the fewest bodies. */
  const choose = (): DigestThread => {
    const [first] = [...threads.all].sort((a, b) => bodiesOf(a) - bodiesOf(b))
    return first && (bodiesOf(first) === 0 || threads.all.size >= most) ? first : threads.start()
  }

  const share = (body: number): readonly Share[] => {
    const isAlone = [...threads.all].every((thread) => bodiesOf(thread) === 0)
    const parts: readonly (readonly HalfName[])[] = isAlone && most > 1 ? [['md5'], ['others']] : [WHOLE]
    return parts.map((halves) => {
      const thread = choose()
      bodies.set(thread, (bodies.get(thread) ?? new Set()).add(body))
      return { thread, halves }
    })
  }

  return {
    begin: () => {
      const body = ++lastBody
      const shares = closed ? [] : share(body)
      const ask = async (piece: Uint8Array, isLast: boolean) => {
        if (closed) throw new StoreFailed('broken', 'the store is closed')
        return Promise.all(shares.map(({ thread, halves }) => thread.ask({ body, halves, piece, isLast }))).catch((error: Error) => {
          throw new StoreFailed('broken', `a thread that hashes ended: ${error.message}`)
        })
      }
      const leave = () => {
        for (const { thread } of shares) bodies.get(thread)?.delete(body)
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
          for (const { thread, halves } of shares) thread.tell({ body, halves, piece: null, isLast: true })
        },
      }
    },
    close: () => {
      closed = true
      return threads.close()
    },
  }
}

/**
 * For bytes whose hashes are known: a checksum tells whether they are those.
 * @throws DamagedBytes at the end, when they are not
 */
export function digestOfKnown(known: StoredBytes): Digest {
  const checksum = createChecksum()
  return {
    add: async (piece) => checksum.add(piece),
    finish: async (piece) => {
      checksum.add(piece)
      const { size, crc32 } = checksum.finish()
      if (size !== known.size || crc32 !== known.crc32) throw new DamagedBytes('the bytes are not those that were written')
      return known
    },
    forget: () => undefined,
  }
}

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
