import type { Row } from '../../pg/scoped-batch.ts'
import { constant, join, nothing, type Sql, type Statement, sql, toStatement, value } from '../../sqltext/sql.ts'
import { type Bytes, bytes } from '../../std/brand.ts'
import type { BucketRules } from '../admit.ts'
import type { BucketId } from '../key.ts'
import { isoTime, isTrue, uuidOrNull } from './columns.ts'
import { textArray } from './text-array.ts'

/** A bucket as the API shows it. */
export type BucketRecord = {
  readonly id: string
  readonly name: string
  /** empty, never null, where nobody owns it: clients read it as a string */
  readonly owner: string
  readonly public: boolean
  readonly file_size_limit: number | null
  readonly allowed_mime_types: readonly string[] | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

export type NewBucket = {
  readonly id: BucketId
  readonly name: string
  readonly ownerId: string | null
  readonly public: boolean
  readonly fileSizeLimit: Bytes | null
  readonly allowedMediaTypes: readonly string[] | null
}

/** No RETURNING: making a bucket takes the right to insert alone. */
export const insertBucket = (bucket: NewBucket): Statement => ({
  text: `/* buckets.insert */
    insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
    values ($1::text, $2::text, $3::uuid, $4::text, $5::boolean, $6::bigint, $7::text[])`,
  values: [
    bucket.id,
    bucket.name,
    uuidOrNull(bucket.ownerId),
    bucket.ownerId,
    String(bucket.public),
    bucket.fileSizeLimit === null ? null : String(bucket.fileSizeLimit),
    bucket.allowedMediaTypes && textArray(bucket.allowedMediaTypes),
  ],
})

const RECORD = `id, name, owner, public, file_size_limit, to_json(allowed_mime_types), ${isoTime('created_at')}, ${isoTime('updated_at')}`

export function bucketRecord(row: Row): BucketRecord {
  const [id, name, owner, isPublic, limit, types, createdAt, updatedAt] = row
  return {
    id: id ?? '',
    name: name ?? '',
    owner: owner ?? '',
    public: isTrue(isPublic),
    file_size_limit: limit == null ? null : Number(limit),
    allowed_mime_types: types == null ? null : JSON.parse(types),
    created_at: createdAt ?? null,
    updated_at: updatedAt ?? null,
  }
}

const FIND = `/* buckets.find */
    select ${RECORD}
      from storage.buckets
     where id = $1::text`

export const findBucket = (id: BucketId): Statement => ({
  text: FIND,
  values: [id],
})

export type BucketOrder = { readonly column: 'id' | 'name' | 'created_at' | 'updated_at'; readonly direction: 'asc' | 'desc' }

export type BucketQuery = {
  /** part of the name, in any case; null: all */
  readonly search: string | null
  readonly order: BucketOrder | null
  readonly limit: number | null
  readonly offset: number
}

/** Names are compared by bytes, so the order is the same in every locale; ties by id. */
export function listBuckets({ search, order, limit, offset }: BucketQuery): Statement {
  const where = search === null ? nothing : sql`\n     where name ilike ${value(`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`)}::text`
  return toStatement(sql`/* buckets.list */
    select ${constant(RECORD)}
      from storage.buckets${where}${order ? orderBy(order) : nothing}
     limit ${value(limit === null ? null : String(limit))}::bigint
    offset ${value(String(offset))}::bigint`)
}

function orderBy({ column, direction }: BucketOrder): Sql {
  const collation = column === 'id' || column === 'name' ? ' collate "C"' : ''
  return constant(`\n     order by ${column}${collation} ${direction}, id collate "C" ${direction}`)
}

/** Absent members stay as they are. */
export type BucketChanges = {
  readonly public?: boolean
  readonly fileSizeLimit?: Bytes | null
  readonly allowedMediaTypes?: readonly string[] | null
}

/** One row when there was one to change. */
export function updateBucket(id: BucketId, changes: BucketChanges): Statement {
  const { fileSizeLimit: limit, allowedMediaTypes: types } = changes
  const set: Sql[] = []
  if (changes.public !== undefined) set.push(sql`public = ${value(String(changes.public))}::boolean`)
  if (limit !== undefined) set.push(sql`file_size_limit = ${value(limit === null ? null : String(limit))}::bigint`)
  if (types !== undefined) set.push(sql`allowed_mime_types = ${value(types && textArray(types))}::text[]`)
  set.push(sql`updated_at = greatest(clock_timestamp(), updated_at)`)
  return toStatement(sql`/* buckets.update */
    update storage.buckets
       set ${join(set, ',\n           ')}
     where id = ${value(id)}::text
    returning id`)
}

/** As service: one row when the bucket exists, `t` when something lies in it. */
export const isBucketFull = (id: BucketId): Statement => ({
  text: `/* buckets.is_full */
    select exists (select from storage.objects where bucket_id = $1::text)
      from storage.buckets
     where id = $1::text`,
  values: [id],
})

/** One row when there was one. A bucket that holds objects is kept by their foreign key. */
export const deleteBucket = (id: BucketId): Statement => ({
  text: `/* buckets.delete */
    delete from storage.buckets
     where id = $1::text
    returning id`,
  values: [id],
})

/** As service: what the bucket asks of objects, and what lies under the key now. No row: no bucket. */
export const findUploadRules = (id: BucketId, key: string): Statement => ({
  text: `/* buckets.find_upload_rules */
    select b.file_size_limit,
           to_json(b.allowed_mime_types),
           o.id is not null,
           o.version,
           o.metadata ->> 'eTag'
      from storage.buckets b
      left join storage.objects o
        on o.bucket_id = b.id
       and o.name = $2::text
     where b.id = $1::text`,
  values: [id, key],
})

/** `current`: the object that has the key; its ETag is null where the row was put in by hand. */
export type UploadRules = BucketRules & { readonly current: { readonly version: string | null; readonly etag: string | null } | null }

export function uploadRules(row: Row | undefined): UploadRules | null {
  if (!row) return null
  const [limit, types, taken, version, etag] = row
  return {
    fileSizeLimit: limit == null ? null : bytes(Number(limit)),
    allowedMediaTypes: types == null ? null : JSON.parse(types),
    current: isTrue(taken) ? { version: version ?? null, etag: etag ?? null } : null,
  }
}
