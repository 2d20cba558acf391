import { askAsCaller, askAsService } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { accessDenied, noSuchKey } from '../errors.ts'
import type { BucketId, ObjectKey } from '../key.ts'
import { deleteObjects, objectExists } from '../rows/objects.sql.ts'

/** The bytes follow later. @throws NoSuchKey; AccessDenied when there is one that the caller may not delete, as at the peer */
export async function deleteObject(deps: StorageDeps, call: Call, bucket: BucketId, key: ObjectKey, signal: AbortSignal): Promise<void> {
  const [gone] = await askAsCaller(deps, call, [deleteObjects(bucket, [key])], signal)
  if (gone?.[0]) return
  const [found] = await askAsService(deps, call, [objectExists(bucket, key)], signal)
  throw found?.[0] ? accessDenied() : noSuchKey()
}
