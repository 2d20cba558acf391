import type { Statement } from '../../sqltext/sql.ts'
import type { BucketId } from '../key.ts'
import { isoTime } from './columns.ts'

export type Direction = 'asc' | 'desc'
export type Order<Column extends string> = { readonly column: Column; readonly direction: Direction }

/** One level of a bucket, by offset; `prefix` ends in a slash or is empty, `search` is how the rest begins. Case is ignored in both. */
export type LevelQuery = {
  readonly prefix: string
  readonly search: string
  readonly limit: number
  readonly offset: number
  readonly order: Order<'name' | 'updated_at' | 'created_at' | 'last_accessed_at'>
}

/** JSON members of an entry, the name aside; a folder has none of these. Names and JSON columns are PostgreSQL's own JSON text. */
const MEMBERS = `'"id":' || coalesce('"' || e.id || '"', 'null')
           || ',"updated_at":' || coalesce('"' || ${isoTime('e.updated_at')} || '"', 'null')
           || ',"created_at":' || coalesce('"' || ${isoTime('e.created_at')} || '"', 'null')
           || ',"last_accessed_at":' || coalesce('"' || ${isoTime('e.last_accessed_at')} || '"', 'null')
           || ',"metadata":' || coalesce(e.metadata::text, 'null')`

const WHOLE_NAME = `'"name":' || to_json(case when e.is_folder then rtrim(e.name, '/') || '/' else e.name end)`

/** One row: the entries as one JSON text, without the brackets; null when there is none. */
export const listLevel = (bucket: BucketId, { prefix, search, limit, offset, order }: LevelQuery): Statement => ({
  text: `/* objects.list */
    select string_agg('{"name":' || to_json(e.name) || ',' || ${MEMBERS} || '}', ',')
      from storage.search($1::text, $2::text, $3::integer, 1, $4::integer, $5::text, $6::text, $7::text) as e`,
  values: [prefix, bucket, String(limit), String(offset), search, order.column, order.direction],
})

/** Where a page goes on: behind this name (a folder's ends in its slash) and, in a listing by time, behind this time. */
export type PageStart = { readonly name: string; readonly time: string | null }

export type PageQuery = {
  /** case and all */
  readonly prefix: string
  /** one level, or everything below the prefix */
  readonly oneLevel: boolean
  readonly limit: number
  readonly after: PageStart | null
  readonly order: Order<'name' | 'updated_at' | 'created_at'>
}

/**
 * A row an entry: whether it is a folder (t/f), its whole name, its JSON members (the name among them), and the time it is sorted by.
 * A folder whose name is an empty segment is shown as the peer shows it, with one slash; the name to go on behind has them all.
 */
export const listPage = (bucket: BucketId, query: PageQuery): Statement =>
  query.order.column === 'name' ? pageByName(bucket, query) : pageByTime(bucket, query)

const pageByName = (bucket: BucketId, { prefix, oneLevel, limit, after, order }: PageQuery): Statement => ({
  text: `/* objects.list_page_by_name */
    select e.is_folder,
           e.name,
           ${WHOLE_NAME} || ',' || ${MEMBERS},
           null
      from storage.list_level($1::text, $2::text, $3::text, $4::integer, $5::text, $6::boolean) as e`,
  values: [bucket, prefix, oneLevel ? '/' : '', String(limit), after?.name ?? null, String(order.direction === 'desc')],
})

const pageByTime = (bucket: BucketId, { prefix, oneLevel, limit, after, order }: PageQuery): Statement => ({
  text: `/* objects.list_page_by_time */
    select e.is_folder,
           e.name,
           ${WHOLE_NAME} || ',' || ${MEMBERS},
           case
             when isfinite(e.sort_time) then to_char(e.sort_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
             else e.sort_time::text
           end
      from storage.list_by_time($1::text, $2::text, $3::text, $4::text, $5::integer, $6::timestamptz, $7::text, $8::boolean) as e`,
  values: [
    bucket,
    prefix,
    oneLevel ? '/' : '',
    order.column,
    String(limit),
    after?.time ?? null,
    after?.name ?? null,
    String(order.direction === 'desc'),
  ],
})
