import type { Cell } from '../../pg/scoped-batch.ts'
import { askToHandOn } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { type BucketId, namedKey } from '../key.ts'
import { ALONG_THE_INDEX, type LevelQuery, listLevel } from '../rows/list.sql.ts'

/** Entries in one answer, whatever is asked for. */
const MAX_ENTRIES = 1_500

/** integer in PostgreSQL: no bucket has more */
const MAX_OFFSET = 2_147_483_647

/**
 * One level of a bucket as its caller may see it, as JSON text; an unknown bucket is an empty one. The prefix names a folder, with or
 * without its slash.
 * @throws InvalidKey for a prefix or search that is no text
 */
export async function listObjects(
  deps: StorageDeps,
  call: Call,
  bucket: BucketId,
  query: LevelQuery,
  signal: AbortSignal,
): Promise<NonNullable<Cell>> {
  const prefix = namedKey(query.prefix)
  const statement = listLevel(bucket, {
    ...query,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    search: namedKey(query.search),
    limit: Math.min(query.limit, MAX_ENTRIES),
    offset: Math.min(query.offset, MAX_OFFSET),
  })
  const settings = query.order.column === 'name' ? [...call.settings, ...ALONG_THE_INDEX] : call.settings
  const [rows] = await askToHandOn(deps, { ...call, settings }, [statement], signal)
  return rows?.[0]?.[0] ?? '[]'
}
