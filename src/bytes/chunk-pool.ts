/** Memory in pieces of one size that is used again. */
export type ChunkPool = {
  readonly lend: () => Buffer
  /** also of a part of a piece; what was not lent, or was given back before, is left alone */
  readonly giveBack: (chunk: Buffer) => void
}

/**
 * Whoever does not give a piece back leaves it to the garbage collector, which looks at all of the heap whenever some tens of megabytes of
 * such memory have come together: a quarter of the time of a service that only sends files. The piece given back last is lent next: it
 * is still in the processor's cache.
 * @param size of a piece, in bytes
 * @param most pieces kept while nobody has them
 */
export function createChunkPool(size: number, most: number): ChunkPool {
  const free: ArrayBufferLike[] = []
  const lent = new WeakSet<ArrayBufferLike>()
  return {
    lend: () => {
      const memory = free.pop() ?? Buffer.allocUnsafeSlow(size).buffer
      lent.add(memory)
      return Buffer.from(memory)
    },
    giveBack: ({ buffer }) => {
      if (lent.delete(buffer) && free.length < most) free.push(buffer)
    },
  }
}
