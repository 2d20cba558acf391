import { askAsCaller, askAsService, isService } from '../ask.ts'
import { fromDatabase, isBucketFullRefusal } from '../database-error.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { bucketNotEmpty, noSuchBucket } from '../errors.ts'
import type { BucketId } from '../key.ts'
import { deleteBucket as deleteStatement, isBucketFull } from '../rows/buckets.sql.ts'
import { isTrue } from '../rows/columns.ts'

/**
 * A bucket with anything in it stays, whoever can see that: the service looks first, so that a caller without rights hears of it too, as at
 * the peer; the foreign key of the objects has the last word, so that an upload published in between is not orphaned.
 * @throws NoSuchBucket when it is missing or the caller may not delete it, ResourceNotEmpty
 */
export async function deleteBucket(deps: StorageDeps, call: Call, id: BucketId, signal: AbortSignal): Promise<void> {
  if (!isService(call)) {
    const [found] = await askAsService(deps, call, [isBucketFull(id)], signal)
    if (!found?.[0]) throw noSuchBucket()
    if (isTrue(found[0][0])) throw bucketNotEmpty()
  }
  const [gone] = await askAsCaller(deps, call, [deleteStatement(id)], signal, 'commit', (error) =>
    isBucketFullRefusal(error) ? bucketNotEmpty() : fromDatabase(error),
  )
  if (!gone?.[0]) throw noSuchBucket()
}
