import { LRUCache } from 'lru-cache'

/**
 * Buckets that were not public when they were last looked at. It decides which of two questions comes first and never what the answer is,
 * so it may be out of date.
 */
export type PrivateBuckets = {
  readonly has: (bucket: string) => boolean
  readonly note: (bucket: string) => void
  readonly forget: (bucket: string) => void
}

const MOST = 10_000

export function createPrivateBuckets(): PrivateBuckets {
  const known = new LRUCache<string, true>({ max: MOST })
  return {
    has: (bucket) => known.has(bucket),
    note: (bucket) => {
      known.set(bucket, true)
    },
    forget: (bucket) => {
      known.delete(bucket)
    },
  }
}
