import { askToRead } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { noSuchBucket } from '../errors.ts'
import type { BucketId } from '../key.ts'
import { type BucketRecord, bucketRecord, findBucket } from '../rows/buckets.sql.ts'

/** @throws NoSuchBucket when it is missing or the caller may not see it */
export async function getBucket(deps: StorageDeps, call: Call, id: BucketId, signal: AbortSignal): Promise<BucketRecord> {
  const [rows] = await askToRead(deps, call, id, [findBucket(id)], signal)
  if (!rows?.[0]) throw noSuchBucket()
  return bucketRecord(rows[0])
}
