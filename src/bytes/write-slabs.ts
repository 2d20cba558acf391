import type { ChunkPool } from '../std/chunk-pool.ts'
import { type StoredBytes, StoreFailed } from './byte-store.ts'
import type { Digest } from './digest-threads.ts'
import type { FsFile } from './fs-io.ts'

export type Body = {
  /** what is here already, and admitted */
  readonly pieces: readonly Buffer[]
  readonly rest: AsyncGenerator<Buffer, void, undefined>
  /** sees each chunk of the rest first, and may refuse it */
  readonly admit: (chunk: Buffer) => void
  /** is told of each chunk that is no longer looked at */
  readonly letGo: (chunk: Buffer) => void
}

/** One is filled while the others are written and hashed. */
const MOST_OF_A_BODY = 4
/** From there on a body is content with one at a time, so that many at once do not take all memory. */
const MOST_OF_ALL = 32
/** The disk begins while the rest is received, so that the flush at the end finds little to do. */
const FLUSH_EVERY = 64 * 1024 * 1024
/** Measured: as quick as larger ones, which on a virtual machine now and then took six times as long for want of memory in one piece. */
const MOST_OF_A_WRITE = 128 * 1024

/**
 * Writes a file's bytes as they arrive. They are gathered in slabs; a full one is written and hashed at the same time, in other threads, while the next is
 * received.
 * @returns when all is written, the hashes to come
 */
export async function writeSlabs(
  handle: FsFile,
  { pieces, rest, admit, letGo }: Body,
  { slabs, digest, flush }: { readonly slabs: ChunkPool; readonly digest: Digest; readonly flush: () => Promise<void> },
): Promise<{ readonly stored: Promise<StoredBytes> }> {
  const underWay: Promise<unknown>[] = []
  let writing: Promise<void> = Promise.resolve()
  let slab = null as Buffer | null
  let filled = 0
  let flushing: Promise<void> = Promise.resolve()
  let unflushed = 0
  let lost = null as { readonly error: unknown } | null

  /** Waits for the oldest while the body, or all of them, have too many. */
  const take = async (): Promise<Buffer> => {
    if (lost) throw lost.error
    while (underWay.length > 0 && underWay.length >= (slabs.lent() < MOST_OF_ALL ? MOST_OF_A_BODY - 1 : 1)) await underWay[0]
    return slabs.lend()
  }

  const send = <T>(full: Buffer, piece: Buffer, hash: (piece: Buffer) => Promise<T>): Promise<T> => {
    writing = writing.then(() => writeAll(handle, piece))
    unflushed += piece.length
    if (unflushed >= FLUSH_EVERY) {
      unflushed = 0
      flushing = Promise.all([flushing, writing]).then(flush)
      flushing.catch((error) => {
        lost = { error }
      })
    }
    const sent: Promise<T> = Promise.all([hash(piece), writing]).then(
      ([hashed]) => {
        underWay.splice(underWay.indexOf(sent), 1)
        slabs.giveBack(full)
        return hashed
      },
      (error) => {
        slabs.drop(full)
        throw error
      },
    )
    // it is awaited in its turn; until then a failure must not count as unhandled
    sent.catch(() => undefined)
    underWay.push(sent)
    return sent
  }

  const pour = async (chunk: Buffer): Promise<void> => {
    for (let at = 0; at < chunk.length; ) {
      slab ??= await take()
      const count = chunk.copy(slab, filled, at)
      at += count
      filled += count
      if (filled < slab.length) continue
      send(slab, slab, digest.add)
      slab = null
      filled = 0
    }
    letGo(chunk)
  }

  try {
    for (const piece of pieces) await pour(piece)
    for await (const chunk of rest) {
      admit(chunk)
      await pour(chunk)
    }
    const last = slab
    slab = null
    const stored = last ? send(last, last.subarray(0, filled), digest.finish) : digest.finish(Buffer.alloc(0))
    stored.catch(() => undefined)
    await writing
    await flushing
    return { stored }
  } finally {
    if (slab) slabs.giveBack(slab)
    await rest.return()
    // the handle must not be closed under a call
    await Promise.allSettled([writing, flushing])
  }
}

async function writeAll(handle: FsFile, piece: Buffer): Promise<void> {
  for (let left = piece; left.length > 0; ) {
    const { bytesWritten } = await handle.write(left.subarray(0, MOST_OF_A_WRITE))
    // a full disk takes a part and says so only to the next write
    if (bytesWritten === 0) throw new StoreFailed('full', 'the file takes no more bytes')
    left = left.subarray(bytesWritten)
  }
}
