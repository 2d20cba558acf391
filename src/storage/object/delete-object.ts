import { askAsCaller, askAsService, isService } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { accessDenied, noSuchKey } from '../errors.ts'
import type { BucketId, ObjectKey } from '../key.ts'
import { deleteObject as deleteStatement, objectExists } from '../rows/objects.sql.ts'

/** The bytes follow later. @throws NoSuchKey; AccessDenied when there is one that the caller may not delete, as at the peer */
export async function deleteObject(deps: StorageDeps, call: Call, bucket: BucketId, key: ObjectKey, signal: AbortSignal): Promise<void> {
  const remove = async () => {
    const [gone] = await askAsCaller(deps, call, [deleteStatement(bucket, key)], signal)
    return gone?.[0] !== undefined
  }
  if (await remove()) return
  if (isService(call)) throw noSuchKey()
  const [found] = await askAsService(deps, call, [objectExists(bucket, key)], signal)
  if (!found?.[0]) throw noSuchKey()
  // it may have been written after we looked for it, and then nobody was denied anything
  if (!(await remove())) throw accessDenied()
}
