import type { Setting } from '../../pg/scoped-batch.ts'
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

/** Rows of entries, with a time as it is shown: it mostly stands in a row three times, and writing it costs as much as all the rest. */
const withCreated = (rows: string): string => `(select r.*, ${isoTime('r.created_at')} as created from ${rows} as r offset 0) as e`

const timeOnce = (time: 'updated_at' | 'last_accessed_at'): string =>
  `coalesce('"' || case when e.${time} = e.created_at then e.created else ${isoTime(`e.${time}`)} end || '"', 'null')`

/** JSON members of an entry, the name aside; a folder has none of these. Names and JSON columns are PostgreSQL's own JSON text. */
const MEMBERS = `'"id":' || coalesce('"' || e.id || '"', 'null')
           || ',"updated_at":' || ${timeOnce('updated_at')}
           || ',"created_at":' || coalesce('"' || e.created || '"', 'null')
           || ',"last_accessed_at":' || ${timeOnce('last_accessed_at')}
           || ',"metadata":' || coalesce(e.metadata::text, 'null')`

const WHOLE_NAME = `'"name":' || to_json(case when e.is_folder then rtrim(e.name, '/') || '/' else e.name end)`

/** One row: the entries as one JSON text; null when there is none. */
export function listLevel(bucket: BucketId, query: LevelQuery): Statement {
  if (query.order.column !== 'name') return levelByTime(bucket, query)
  return query.offset === 0 ? levelFromStart(bucket, query) : levelByName(bucket, query)
}

/** For a batch with {@link listLevel} by name: the plan is that along the index, made once. By time there is none, and PostgreSQL chooses. */
export const ALONG_THE_INDEX: readonly Setting[] = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_bitmapscan', 'off'],
]

const LIST_BY_TIME = `/* objects.list_by_time */
    select '[' || string_agg('{"name":' || to_json(e.name) || ',' || ${MEMBERS} || '}', ',') || ']'
      from ${withCreated('storage.search($1::text, $2::text, $3::integer, 1, $4::integer, $5::text, $6::text, $7::text)')}`

const levelByTime = (bucket: BucketId, { prefix, search, limit, offset, order }: LevelQuery): Statement => ({
  text: LIST_BY_TIME,
  values: [prefix, bucket, String(limit), String(offset), search, order.column, order.direction],
})

/** $5 where the name begins that is shown */
const entriesOf = (rows: string): string => `select '[' || string_agg(
             '{"name":' || to_json(substr(case when e.is_folder then rtrim(e.name, '/') else e.name end, $5::integer)) || ','
             || case
                  when e.is_folder then '"id":null,"updated_at":null,"created_at":null,"last_accessed_at":null,"metadata":null'
                  else ${MEMBERS}
                end || '}',
             ','
           ) || ']'
      from ${withCreated(rows)}`

/** $1 bucket, $2 prefix and search, $3 limit, $4 whether descending */
const byName = (skip: string): string => entriesOf(`storage.list_level_folded($1::text, $2::text, $3::integer, ${skip}, $4::boolean)`)

/** Rows in order, of which those in one folder become one, spelt like the first. */
const folded = (way: '' | ' desc'): string => `(
            select case when f.slash > 0 then left(f.name, length($2::text) + f.slash) else f.name end as name,
                   f.slash > 0 as is_folder,
                   f.id, f.updated_at, f.created_at, f.last_accessed_at, f.metadata
              from (
                select p.*, s.slash, lag(left(p.name_folded, length($2::text) + s.slash)) over in_order as before
                  from page p
                 cross join lateral (select strpos(substr(p.name_folded, length($2::text) + 1), '/') as slash) s
                window in_order as (order by p.name_folded${way}, p.name collate "C"${way})
              ) f
             where f.slash = 0 or f.before is distinct from left(f.name_folded, length($2::text) + f.slash)
          )`

const valuesByName = (bucket: BucketId, { prefix, search, limit, order }: LevelQuery): readonly string[] => [
  bucket,
  prefix + search,
  String(limit),
  String(order.direction === 'desc'),
  String([...prefix].length + 1),
]

const LIST_BY_NAME = `/* objects.list_by_name */
    ${byName('$6::integer')}`

const levelByName = (bucket: BucketId, query: LevelQuery): Statement => ({
  text: LIST_BY_NAME,
  values: [...valuesByName(bucket, query), String(query.offset)],
})

/**
 * Where objects only are in front, the page is a range of the index, and no function has to walk; nor where the range ends before it fills the page. Else it
 * is left at its first folder.
 * It ends before "0", which is the character behind the slash.
 */
const fromStart = (way: '' | ' desc'): string => `/* objects.list_from_start */
      with page as materialized (
        select o.name, o.name_folded, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
          from storage.objects o
         where o.bucket_id = $1::text
           and o.name_folded >= lower($2::text collate "C")
           and o.name_folded < case
                 when right($2::text, 1) = '/' then left(lower($2::text collate "C"), -1) || '0'
                 else storage.prefix_end(lower($2::text collate "C"))
               end
         order by o.name_folded${way}, o.name collate "C"${way}
         limit $3::integer
      )
      select case
        when not exists (select from page p where p.name_folded like $6::text) then (
          select '[' || string_agg('{"name":' || to_json(substr(e.name, $5::integer)) || ',' || ${MEMBERS} || '}', ',') || ']'
            from ${withCreated('page')}
        )
        when (select count(*) from page) < $3::integer then (
          ${entriesOf(folded(way))}
        )
        else (
          ${byName('0')}
        )
      end`

const LIST_FROM_START = { asc: fromStart(''), desc: fromStart(' desc') }

const levelFromStart = (bucket: BucketId, query: LevelQuery): Statement => ({
  text: LIST_FROM_START[query.order.direction],
  values: [...valuesByName(bucket, query), `${'%/'.repeat((query.prefix + query.search).split('/').length)}%`],
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

const PAGE_BY_NAME = `/* objects.list_page_by_name */
    select e.is_folder,
           e.name,
           ${WHOLE_NAME} || ',' || ${MEMBERS},
           null
      from ${withCreated('storage.list_level($1::text, $2::text, $3::text, $4::integer, $5::text, $6::boolean)')}`

const pageByName = (bucket: BucketId, { prefix, oneLevel, limit, after, order }: PageQuery): Statement => ({
  text: PAGE_BY_NAME,
  values: [bucket, prefix, oneLevel ? '/' : '', String(limit), after?.name ?? null, String(order.direction === 'desc')],
})

const PAGE_BY_TIME = `/* objects.list_page_by_time */
    select e.is_folder,
           e.name,
           ${WHOLE_NAME} || ',' || ${MEMBERS},
           case
             when isfinite(e.sort_time) then to_char(e.sort_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
             else e.sort_time::text
           end
      from ${withCreated(
        'storage.list_by_time($1::text, $2::text, $3::text, $4::text, $5::integer, $6::timestamptz, $7::text, $8::boolean)',
      )}`

const pageByTime = (bucket: BucketId, { prefix, oneLevel, limit, after, order }: PageQuery): Statement => ({
  text: PAGE_BY_TIME,
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
