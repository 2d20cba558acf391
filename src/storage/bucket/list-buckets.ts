import { askToList } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { type BucketQuery, type BucketRecord, bucketRecord, listBuckets as listStatement } from '../rows/buckets.sql.ts'

/** The buckets the caller may see. */
export async function listBuckets(
  deps: StorageDeps,
  call: Call,
  query: BucketQuery,
  signal: AbortSignal,
): Promise<readonly BucketRecord[]> {
  const [rows = []] = await askToList(deps, call, [listStatement(query)], signal)
  return rows.map(bucketRecord)
}
