export type Slabs = {
  readonly take: () => Buffer
  /** what nobody reads or writes any more: the next body fills it */
  readonly giveBack: (slab: Buffer) => void
  /** in place of giving it back: somebody may still read it */
  readonly drop: () => void
  /** taken, and neither given back nor dropped */
  readonly inUse: () => number
}

/**
 * Pieces of `size` bytes of memory that all threads see, used again and again, since memory that is new costs more than what is copied into it. At most
 * `keep` wait for their next use.
 */
export function createSlabs(size: number, keep: number): Slabs {
  const free: Buffer[] = []
  let inUse = 0
  return {
    take: () => {
      inUse++
      return free.pop() ?? Buffer.from(new SharedArrayBuffer(size))
    },
    giveBack: (slab) => {
      inUse--
      if (free.length < keep) free.push(slab)
    },
    drop: () => {
      inUse--
    },
    inUse: () => inUse,
  }
}
