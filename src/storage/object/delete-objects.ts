import { askAsCaller } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { tooManyKeys } from '../errors.ts'
import { type BucketId, namedKey, type ObjectKey } from '../key.ts'
import { deleteObjects as deleteStatement, type ObjectRecord, objectRecord } from '../rows/objects.sql.ts'

/** Keys in one transaction. */
const BATCH = 500

const KEYS_A_REPORT = 10 * BATCH

/**
 * What was deleted of `keys`, which are whole keys and no prefixes, transaction by transaction; the rest was missing or not the caller's to delete. Many keys
 * take several transactions, so what fails half-way has deleted some, and can be asked for again.
 * @throws InvalidRequest, InvalidKey
 */
export async function* deleteObjects(
  deps: StorageDeps,
  call: Call,
  bucket: BucketId,
  keys: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly ObjectRecord[]> {
  const most = deps.limits.maxBulkKeys
  if (most !== null && keys.length > most) throw tooManyKeys(most)
  const distinct: readonly ObjectKey[] = [...new Set(keys.map(namedKey))]
  for (let at = 0; at < distinct.length; at += BATCH) {
    const [rows = []] = await askAsCaller(deps, call, [deleteStatement(bucket, distinct.slice(at, at + BATCH))], signal)
    yield rows.map(objectRecord)
    const dealtWith = Math.min(at + BATCH, distinct.length)
    if (distinct.length > BATCH && (dealtWith % KEYS_A_REPORT === 0 || dealtWith === distinct.length))
      deps.observe({ kind: 'objects deleted', bucket, keys: dealtWith, of: distinct.length })
  }
}
