import type { Row } from '../../pg/scoped-batch.ts'
import type { PgText, Statement } from '../../sqltext/sql.ts'
import { type Bytes, bytes } from '../../std/brand.ts'
import type { BucketId, ObjectKey } from '../key.ts'
import { isoTime, isTrue, uuidOrNull } from './columns.ts'
import { textArray } from './text-array.ts'

/** What an object is served and described from. Texts as the row has them; a row put in by hand may lack any of them. */
export type ObjectRow = {
  readonly id: string
  readonly version: string | null
  readonly mediaType: string | null
  readonly size: number | null
  /** strong, with its quotes (RFC 9110 8.8.3) */
  readonly etag: string | null
  readonly cacheControl: string | null
  readonly robotsTag: string | null
  readonly lastModified: Date
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** JSON text; null, too, where it was not asked for */
  readonly userMetadata: string | null
  /** of the bytes, when they were written; null where nobody of us wrote the row */
  readonly crc32: number | null
}

/** User metadata may be a mebibyte: only those who describe an object want it. */
export type Detail = 'to serve' | 'to describe'

/** The last parameter says whether user metadata is wanted. */
const columns = (wantsUserMetadata: string): string => `o.id,
           o.version,
           o.metadata ->> 'mimetype',
           coalesce(o.byte_length::text, o.metadata ->> 'size'),
           o.metadata ->> 'eTag',
           o.metadata ->> 'cacheControl',
           o.metadata ->> 'xRobotsTag',
           o.metadata ->> 'lastModified',
           ${isoTime('o.created_at')},
           ${isoTime('o.updated_at')},
           case when ${wantsUserMetadata}::boolean then o.user_metadata end,
           o.crc32`

function objectRow(row: Row): ObjectRow {
  const [id, version, mediaType, size, etag, cacheControl, robotsTag, lastModified, createdAt, updatedAt, userMetadata, crc32] = row
  return {
    id: id ?? '',
    version: version ?? null,
    mediaType: mediaType ?? null,
    size: wholeNumber(size),
    etag: etag ?? null,
    cacheControl: cacheControl ?? null,
    robotsTag: robotsTag ?? null,
    lastModified: firstDate(lastModified, updatedAt),
    createdAt: createdAt ?? null,
    updatedAt: updatedAt ?? null,
    userMetadata: userMetadata ?? null,
    crc32: wholeNumber(crc32),
  }
}

// what stands in metadata may be anybody's text

function wholeNumber(text: PgText | undefined): number | null {
  const number = Number(text ?? Number.NaN)
  return Number.isSafeInteger(number) && number >= 0 ? number : null
}

function firstDate(...texts: readonly (PgText | undefined)[]): Date {
  for (const text of texts) {
    const date = new Date(text ?? Number.NaN)
    if (!Number.isNaN(date.getTime())) return date
  }
  return new Date(0)
}

const wants = (detail: Detail): string => String(detail === 'to describe')

const FIND_WITH_BUCKET = `/* objects.find_with_bucket */
    select b.public,
           ${columns('$3')}
      from storage.buckets b
      left join storage.objects o
        on o.bucket_id = b.id
       and o.name = $2::text
     where b.id = $1::text`

/** As service, for the routes that ask the bucket first: no row: no bucket; else whether it is public, and the object where there is one. */
export const findWithBucket = (bucket: BucketId, key: string, detail: Detail): Statement => ({
  text: FIND_WITH_BUCKET,
  values: [bucket, key, wants(detail)],
})

export type BucketAndObject = { readonly public: boolean; readonly object: ObjectRow | null }

export function bucketAndObject(row: Row | undefined): BucketAndObject | null {
  if (!row) return null
  const [isPublic, ...object] = row
  return { public: isTrue(isPublic), object: object[0] == null ? null : objectRow(object) }
}

const FIND = `/* objects.find */
    select ${columns('$3')}
      from storage.objects o
     where o.bucket_id = $1::text
       and o.name = $2::text`

export const findObject = (bucket: BucketId, key: ObjectKey, detail: Detail): Statement => ({
  text: FIND,
  values: [bucket, key, wants(detail)],
})

export const foundObject = (row: Row | undefined): ObjectRow | null => (row ? objectRow(row) : null)

/** What a policy may look at before the bytes are there. Texts are JSON. */
export type Candidate = {
  readonly bucket: BucketId
  readonly key: ObjectKey
  readonly ownerId: string | null
  readonly metadata: string
  readonly userMetadata: string | null
}

const CANDIDATE = `insert into storage.objects as o (bucket_id, name, version, owner, owner_id, metadata, user_metadata)
    values ($1::text, $2::text, '1', $3::uuid, $4::text, $5::jsonb, $6::jsonb)`

// the version is left alone, so that a rolled-back question releases no bytes; the owner goes over only when somebody is known
const REPLACE = `on conflict (bucket_id, name) do update
       set owner = case when excluded.owner_id is null then o.owner else excluded.owner end,
           owner_id = coalesce(excluded.owner_id, o.owner_id),
           metadata = excluded.metadata,
           user_metadata = coalesce(excluded.user_metadata, o.user_metadata)
    returning o.id`

const candidateValues = ({ bucket, key, ownerId, metadata, userMetadata }: Candidate): readonly PgText[] => [
  bucket,
  key,
  uuidOrNull(ownerId),
  ownerId,
  metadata,
  userMetadata,
]

const TRY_INSERT = `/* objects.try_insert */
    ${CANDIDATE}`

/** To be rolled back. No RETURNING: a caller who may only insert may upload. */
export const tryInsert = (candidate: Candidate): Statement => ({
  text: TRY_INSERT,
  values: candidateValues(candidate),
})

const TRY_REPLACE = `/* objects.try_replace */
    ${CANDIDATE}
    ${REPLACE}`

/** To be rolled back. Row security asks for insert and select, and for update where the key is taken. */
export const tryReplace = (candidate: Candidate): Statement => ({
  text: TRY_REPLACE,
  values: candidateValues(candidate),
})

/** Where a copy goes, and what it says differently from its source: `metadata` and `userMetadata` are JSON texts, null leaves the source's. */
export type CopyTarget = {
  readonly bucket: BucketId
  readonly key: ObjectKey
  readonly ownerId: string | null
  readonly metadata: string | null
  readonly keepUserMetadata: boolean
  readonly userMetadata: string | null
}

function tryCopy(name: string, tail: string, sourceBucket: BucketId, sourceKey: ObjectKey, target: CopyTarget): Statement {
  return {
    text: `/* objects.${name} */
    insert into storage.objects as o (bucket_id, name, version, owner, owner_id, metadata, user_metadata)
    select $3::text, $4::text, '1', $5::uuid, $6::text,
           s.metadata || coalesce($7::jsonb, '{}'::jsonb),
           case when $8::boolean then s.user_metadata else $9::jsonb end
      from storage.objects s
     where s.bucket_id = $1::text
       and s.name = $2::text${tail}`,
    values: [
      sourceBucket,
      sourceKey,
      target.bucket,
      target.key,
      uuidOrNull(target.ownerId),
      target.ownerId,
      target.metadata,
      String(target.keepUserMetadata),
      target.userMetadata,
    ],
  }
}

/** To be rolled back, in a batch with {@link findObject} of the source: without a visible source nothing is inserted. */
export const tryCopyNew = (bucket: BucketId, key: ObjectKey, target: CopyTarget): Statement =>
  tryCopy('try_copy_new', '', bucket, key, target)

/** As {@link tryCopyNew}, over what may be there. */
export const tryCopyOver = (bucket: BucketId, key: ObjectKey, target: CopyTarget): Statement =>
  tryCopy('try_copy_over', `\n    ${REPLACE}`, bucket, key, target)

/**
 * One row when the caller may see and change the source, and it has bytes. They stay where they are; who moves becomes the owner.
 * Row security sees the new row whole, with its new bucket and name.
 */
export const moveObject = (
  bucket: BucketId,
  key: ObjectKey,
  to: { readonly bucket: BucketId; readonly key: ObjectKey; readonly ownerId: string | null },
): Statement => ({
  text: `/* objects.move */
    update storage.objects o
       set bucket_id = $3::text,
           name = $4::text,
           owner = case when $6::text is null then o.owner else $5::uuid end,
           owner_id = coalesce($6::text, o.owner_id)
     where o.bucket_id = $1::text
       and o.name = $2::text
       and o.version is not null
    returning ${columns('false')}`,
  values: [bucket, key, to.bucket, to.key, uuidOrNull(to.ownerId), to.ownerId],
})

/** An object as lists of what was deleted and answers to copies show it. */
export type ObjectRecord = {
  readonly name: string
  readonly bucket_id: string
  readonly owner: string
  readonly owner_id: string
  readonly version: string
  readonly id: string
  readonly updated_at: string | null
  readonly created_at: string | null
  readonly last_accessed_at: string | null
  /** JSON texts, as the row has them */
  readonly metadata: string | null
  readonly user_metadata: string | null
}

const RECORD = `o.name, o.bucket_id, o.owner, o.owner_id, o.version, o.id,
           ${isoTime('o.updated_at')},
           ${isoTime('o.created_at')},
           ${isoTime('o.last_accessed_at')},
           o.metadata,
           o.user_metadata`

export function objectRecord(row: Row): ObjectRecord {
  const [name, bucket, owner, ownerId, version, id, updatedAt, createdAt, accessedAt, metadata, userMetadata] = row
  return {
    name: name ?? '',
    bucket_id: bucket ?? '',
    owner: owner ?? '',
    owner_id: ownerId ?? '',
    version: version ?? '',
    id: id ?? '',
    updated_at: updatedAt ?? null,
    created_at: createdAt ?? null,
    last_accessed_at: accessedAt ?? null,
    metadata: metadata ?? null,
    user_metadata: userMetadata ?? null,
  }
}

const RECORD_ONE = `/* objects.record */
    select ${RECORD}
      from storage.objects o
     where o.bucket_id = $1::text
       and o.name = $2::text`

export const recordObject = (bucket: BucketId, key: ObjectKey): Statement => ({
  text: RECORD_ONE,
  values: [bucket, key],
})

export const recordById = (id: string): Statement => ({
  text: `/* objects.record_by_id */
    select ${RECORD}
      from storage.objects o
     where o.id = $1::uuid`,
  values: [id],
})

/** One row, if there is one that the caller may see and delete. Bytes are released by trigger. */
export const deleteObject = (bucket: BucketId, key: ObjectKey): Statement => ({
  text: `/* objects.delete_one */
    delete from storage.objects o
     where o.bucket_id = $1::text
       and o.name = $2::text
    returning o.id`,
  values: [bucket, key],
})

const DELETE = `/* objects.delete */
    with weight as materialized (
      select coalesce(sum(octet_length(o.user_metadata::text)), 0) as bytes
        from storage.objects o
       where o.bucket_id = $1::text
         and o.name = any ($2::text[])
    ), deleted (name, bucket_id, owner, owner_id, version, id, updated_at, created_at, last_accessed_at, metadata, user_metadata) as (
      delete from storage.objects o
       where o.bucket_id = $1::text
         and o.name = any ($2::text[])
         and (select w.bytes from weight w) <= $3::bigint
      returning ${RECORD}
    )
    select w.bytes, d.*
      from weight w
      left join deleted d on true`

/**
 * Those that the caller may see and delete: but none if their user metadata have more than `mostBytes` together. Bytes are released by trigger. The answer is {@link deletedObjects}.
 */
export const deleteObjects = (bucket: BucketId, keys: readonly ObjectKey[], mostBytes: Bytes): Statement => ({
  text: DELETE,
  values: [bucket, textArray(keys), String(mostBytes)],
})

/** What was deleted, and what the user metadata of all that were seen came to. */
export function deletedObjects(rows: readonly Row[]): { readonly records: readonly ObjectRecord[]; readonly userMetadataBytes: Bytes } {
  const records = rows.map(([, ...record]) => record).filter(([name]) => name !== null && name !== undefined)
  return { records: records.map(objectRecord), userMetadataBytes: bytes(Number(rows[0]?.[0])) }
}

/** As service: one row when there is such an object at all. */
export const objectExists = (bucket: BucketId, key: ObjectKey): Statement => ({
  text: `/* objects.exists */
    select 1
      from storage.objects o
     where o.bucket_id = $1::text
       and o.name = $2::text`,
  values: [bucket, key],
})

/** The names among `keys` that the caller may see. */
export const visibleNames = (bucket: BucketId, keys: readonly ObjectKey[]): Statement => ({
  text: `/* objects.visible_names */
    select o.name
      from storage.objects o
     where o.bucket_id = $1::text
       and o.name = any ($2::text[])`,
  values: [bucket, textArray(keys)],
})

/** One row: how many objects lie in the bucket, counted no further than `most`. */
export const countObjects = (bucket: BucketId, most: number): Statement => ({
  text: `/* objects.count */
    select count(*)
      from (select from storage.objects where bucket_id = $1::text limit $2::bigint) as counted`,
  values: [bucket, String(most)],
})

/**
 * As service, in front of a publication: locks the row and fails (SQLSTATE 22012, division by zero) unless it still has that version, which undoes the whole
 * batch. So a conditional write cannot lose another one.
 * @param ours what is published: it may be there already, if an earlier try was not answered
 */
export const requireVersion = (bucket: BucketId, key: ObjectKey, version: string, ours: string): Statement => ({
  text: `/* objects.require_version */
    select 1 / count(*)
      from (
             select
               from storage.objects o
              where o.bucket_id = $1::text
                and o.name = $2::text
                and o.version in ($3::text, $4::text)
                for update
           ) as unchanged`,
  values: [bucket, key, version, ours],
})

export const VERSION_CHANGED = '22012'
