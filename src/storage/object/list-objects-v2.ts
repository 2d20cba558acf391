import { askToList } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { type BucketId, namedKey } from '../key.ts'
import { isTrue } from '../rows/columns.ts'
import { listPage, type PageQuery } from '../rows/list.sql.ts'
import { readCursor, writeCursor } from './list-cursor.ts'

/** Entries in one answer, whatever is asked for. */
const MAX_ENTRIES = 1_000

export type ListPage = Omit<PageQuery, 'after'> & {
  /** from the page before; it brings its order along, which stands. Empty: from the beginning */
  readonly cursor: string
}

/**
 * A page of a bucket as its caller may see it, as JSON text: names are whole keys, an unknown bucket is an empty one. The cursor says
 * exactly where the next page begins: a folder's name ends in its slash there, an object's does not, so neither hides the other.
 * @throws InvalidKey for a prefix that is no text; InvalidParameter for a cursor that is none
 */
export async function listObjectsV2(
  deps: StorageDeps,
  call: Call,
  bucket: BucketId,
  query: ListPage,
  signal: AbortSignal,
): Promise<string> {
  const prefix = namedKey(query.prefix)
  const cursor = query.cursor === '' ? null : readCursor(query.cursor)
  const order = cursor?.order ?? query.order
  const limit = Math.min(query.limit, MAX_ENTRIES)
  const page: PageQuery = { prefix, oneLevel: query.oneLevel, limit: limit + 1, after: cursor?.after ?? null, order }
  const [rows = []] = await askToList(deps, call, [listPage(bucket, page)], signal)

  const folders: string[] = []
  const objects: string[] = []
  const levelAt = prefix.lastIndexOf('/') + 1
  for (const [isFolder, name, members] of rows.slice(0, limit)) {
    const key = query.oneLevel ? `"key":${JSON.stringify(withoutSlashes(name ?? '', isTrue(isFolder)).slice(levelAt))},` : ''
    ;(isTrue(isFolder) ? folders : objects).push(`{${key}${members}}`)
  }
  const last = rows[limit - 1]
  const next = rows.length > limit && last ? nextPage(isTrue(last[0]), last[1] ?? '', last[3] ?? null, order) : ''
  return `{"hasNext":${next !== ''},${next}"folders":[${folders.join(',')}],"objects":[${objects.join(',')}]}`
}

function nextPage(isFolder: boolean, name: string, time: string | null, order: PageQuery['order']): string {
  return `"nextCursor":"${writeCursor({ name, time }, order)}","nextCursorKey":${JSON.stringify(withoutSlashes(name, isFolder))},`
}

const withoutSlashes = (name: string, isFolder: boolean): string => (isFolder ? name.replace(/\/+$/, '') : name)
