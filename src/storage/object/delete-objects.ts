import { askAsCaller } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { tooManyKeys } from '../errors.ts'
import { type BucketId, namedKey, type ObjectKey } from '../key.ts'
import { deleteObjects as deleteStatement, type ObjectRecord, objectRecord } from '../rows/objects.sql.ts'

/** Keys in one transaction. */
const BATCH = 500

/** What was deleted of `keys`, which are whole keys and no prefixes; the rest was missing or not the caller's to delete. @throws InvalidRequest, InvalidKey */
export async function deleteObjects(
  deps: StorageDeps,
  call: Call,
  bucket: BucketId,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<readonly ObjectRecord[]> {
  const most = deps.limits.maxBulkKeys
  if (most !== null && keys.length > most) throw tooManyKeys(most)
  const distinct: readonly ObjectKey[] = [...new Set(keys.map(namedKey))]
  const deleted: ObjectRecord[] = []
  for (let at = 0; at < distinct.length; at += BATCH) {
    const [rows = []] = await askAsCaller(deps, call, [deleteStatement(bucket, distinct.slice(at, at + BATCH))], signal)
    deleted.push(...rows.map(objectRecord))
  }
  return deleted
}
