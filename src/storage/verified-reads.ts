import { LRUCache } from 'lru-cache'
import type { VersionId } from '../bytes/byte-store.ts'
import { type Milliseconds, milliseconds } from '../std/brand.ts'

/**
 * Which large objects were read whole lately and fitted their checksum. What many ask for at a time lies in the system's memory, and to compare it for
 * each of them is a quarter of what an answer of 1 MiB costs.
 * The mark is the store's ({@link LentBytes}); with null nothing is remembered.
 */
export type VerifiedReads = {
  readonly has: (version: VersionId, mark: string | null) => boolean
  readonly note: (version: VersionId, mark: string | null) => void
}

/** So long at most is not noticed what a disk or memory changes by itself, without a write. */
const TRUSTED_FOR = milliseconds(10_000)
/** About 300 bytes each. */
const MOST = 4_096

export function createVerifiedReads(trustedFor: Milliseconds = TRUSTED_FOR): VerifiedReads {
  const marks = new LRUCache<VersionId, string>({ max: MOST, ttl: trustedFor })
  return {
    has: (version, mark) => mark !== null && marks.get(version) === mark,
    note: (version, mark) => {
      if (mark !== null) marks.set(version, mark)
    },
  }
}
