import { LRUCache } from 'lru-cache'
import type { VersionId } from '../bytes/byte-store.ts'
import type { Bytes } from '../std/brand.ts'

/**
 * Bytes of small objects, in memory: opening, reading and closing a file are three waits for a thread, which for a few kilobytes cost more than
 * everything else of an answer. A version is written once, so what is kept is never stale, and is kept only when it was found undamaged;
 * whether anybody may see it is asked before, for every request.
 */
export type KeptBytes = {
  readonly find: (version: VersionId) => Buffer | undefined
  readonly keep: (version: VersionId, whole: Buffer) => void
}

/** A larger one would drive out many, and is read from the disk nearly as soon. */
const MOST_EACH = 64 * 1024
/** What a version costs beside its bytes. */
const OVERHEAD_BYTES = 400

/** Keeps as much as fits into `maxBytes`, what was asked for last; with 0 nothing. */
export function createKeptBytes(maxBytes: Bytes): KeptBytes {
  if (maxBytes === 0) return { find: () => undefined, keep: () => undefined }
  const known = new LRUCache<VersionId, Buffer>({
    maxSize: maxBytes,
    maxEntrySize: MOST_EACH + OVERHEAD_BYTES,
    sizeCalculation: (whole) => whole.length + OVERHEAD_BYTES,
  })
  return {
    find: (version) => known.get(version),
    keep: (version, whole) => {
      known.set(version, whole)
    },
  }
}
