import { NO_LIMIT } from '../../bytes/byte-store.ts'
import { bytes } from '../../std/brand.ts'
import { askAsCaller } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { tooManyKeys } from '../errors.ts'
import { type BucketId, namedKey, type ObjectKey } from '../key.ts'
import { deletedObjects, deleteObjects as deleteStatement, type ObjectRecord } from '../rows/objects.sql.ts'

/** Keys in one transaction. */
const BATCH = 500
/** User metadata in one transaction: each object may have a mebibyte of it, and all that was deleted is told. */
const BATCH_BYTES = bytes(4 * 2 ** 20)

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
  let batch = BATCH
  for (let at = 0; at < distinct.length; ) {
    const some = distinct.slice(at, at + batch)
    // a key alone is deleted whatever its row holds
    const mostBytes = some.length === 1 ? NO_LIMIT : BATCH_BYTES
    const [rows = []] = await askAsCaller(deps, call, [deleteStatement(bucket, some, mostBytes)], signal)
    const { records, userMetadataBytes } = deletedObjects(rows)
    if (userMetadataBytes > mostBytes) {
      batch = Math.max(1, Math.floor((some.length * mostBytes) / userMetadataBytes))
      continue
    }
    yield records
    const before = at
    at += some.length
    batch = Math.min(BATCH, batch * 2)
    const isDone = at === distinct.length
    if (distinct.length > BATCH && (isDone || Math.floor(at / KEYS_A_REPORT) > Math.floor(before / KEYS_A_REPORT)))
      deps.observe({ kind: 'objects deleted', bucket, keys: at, of: distinct.length })
  }
}
