import type { HashedBytes, StoredBytes, VersionId } from '../../bytes/byte-store.ts'
import type { Row } from '../../pg/scoped-batch.ts'
import type { PgText, Statement } from '../../sqltext/sql.ts'
import { bytes } from '../../std/brand.ts'
import { isTrue } from './columns.ts'
import { TAKEN_INTENT } from './ledger.sql.ts'
import { textArray } from './text-array.ts'

/** A row of storage.objects as another database has it. Texts as PostgreSQL reads them. */
export type ForeignObject = {
  readonly id: string
  readonly bucketId: string
  readonly name: string
  readonly owner: PgText
  readonly ownerId: PgText
  readonly createdAt: PgText
  readonly updatedAt: PgText
  readonly lastAccessedAt: PgText
  /** JSON text */
  readonly metadata: PgText
  /** JSON text */
  readonly userMetadata: PgText
  readonly version: PgText
}

/** `bucket`: a row of storage.buckets as JSON. A row comes back when it was made. */
export const importBucket = (bucket: string): Statement => ({
  text: `/* moving.import_bucket */
    insert into storage.buckets (id, name, owner, owner_id, created_at, updated_at, public, avif_autodetection, file_size_limit, allowed_mime_types)
    select b.id,
           b.name,
           b.owner,
           b.owner_id,
           coalesce(b.created_at, now()),
           coalesce(b.updated_at, now()),
           coalesce(b.public, false),
           coalesce(b.avif_autodetection, false),
           b.file_size_limit,
           b.allowed_mime_types
      from jsonb_populate_record(null::storage.buckets, $1::jsonb) as b
    on conflict do nothing
    returning id`,
  values: [bucket],
})

/** What is here already of objects that another database has: same rows, and whether the ledger has their bytes. */
export const findImported = (bucketId: string, objects: readonly ForeignObject[]): Statement => ({
  text: `/* moving.find_imported */
    select o.name,
           o.id = given.id as same_row,
           o.version is not distinct from given.version as same_version,
           coalesce(o.updated_at >= given.updated_at, true) as as_new,
           exists (
             select
               from stowage.versions v
              where v.object_id = o.id
                and v.version::text = o.version
           ) as has_bytes
      from unnest($2::text[], $3::uuid[], $4::text[], $5::timestamptz[]) as given (name, id, version, updated_at)
      join storage.objects o
        on o.bucket_id = $1::text
       and o.name = given.name`,
  values: [
    bucketId,
    textArray(objects.map(({ name }) => name)),
    textArray(objects.map(({ id }) => id)),
    textArray(objects.map(({ version }) => version ?? '')),
    textArray(objects.map(({ updatedAt }) => updatedAt ?? '-infinity')),
  ],
})

/** `done`: nothing to do · `adopt`: the row is here and its bytes are not · `replace`: the other database has a newer one · `foreign`: another object has the key */
export type Standing = 'done' | 'adopt' | 'replace' | 'foreign'

export function importStanding(rows: readonly Row[]): ReadonlyMap<string, Standing> {
  return new Map(
    rows.map(([name, sameRow, sameVersion, asNew, hasBytes]): [string, Standing] => {
      if (!isTrue(sameRow)) return [name ?? '', 'foreign']
      if (!isTrue(hasBytes)) return [name ?? '', isTrue(sameVersion) ? 'adopt' : 'replace']
      return [name ?? '', isTrue(asNew) ? 'done' : 'replace']
    }),
  )
}

/** An import that broke off may have left the reservation. */
export const reserveImport = (version: VersionId, bucketId: string, name: string): Statement => ({
  text: `/* moving.reserve */
    insert into stowage.intents as i (version, bucket_id, name)
    values ($1::uuid, $2::text, $3::text)
    on conflict (version) do update
       set renewed_at = clock_timestamp()`,
  values: [version, bucketId, name],
})

/** Makes room for a row that comes again. Deleting rows has to be allowed by the batch's settings. */
export const removeImported = (id: string): Statement => ({
  text: `/* moving.remove_imported */
    delete from storage.objects
     where id = $1::uuid`,
  values: [id],
})

/**
 * The row as the other database has it, and its bytes in the ledger. A row with an id comes back when it was made.
 * @param standIn JSON text: what metadata says where the row does not
 */
export const publishImport = (object: ForeignObject, standIn: string, version: VersionId, stored: StoredBytes): Statement => ({
  text: `/* moving.publish_import */
    with ${TAKEN_INTENT}, published as (
      insert into storage.objects (id, bucket_id, name, owner, owner_id, created_at, updated_at, last_accessed_at, metadata, user_metadata, version, crc32, byte_length)
      select $5::uuid, $6::text, $7::text, $8::uuid, $9::text, $10::timestamptz, $11::timestamptz, $12::timestamptz,
             case when jsonb_typeof($13::jsonb) = 'object' then $15::jsonb || $13::jsonb else $15::jsonb end,
             $14::jsonb, $1::text, $16::bigint, $2::bigint
        from intent
      on conflict do nothing
      returning id
    ), ${REGISTERED}`,
  values: [
    ...ledgerValues(version, stored),
    object.id,
    object.bucketId,
    object.name,
    object.owner,
    object.ownerId,
    object.createdAt,
    object.updatedAt,
    object.lastAccessedAt,
    object.metadata,
    object.userMetadata,
    standIn,
    String(stored.crc32),
  ],
})

/** The bytes of a row that is here already, under the version it names. A row with an id comes back when the row was still that. */
export const adoptBytes = (id: string, version: VersionId, stored: StoredBytes): Statement => ({
  text: `/* moving.adopt_bytes */
    with ${TAKEN_INTENT}, published as (
      select o.id
        from storage.objects o
       cross join intent
       where o.id = $5::uuid
         and o.version = $1::text
         for update of o
    ), ${REGISTERED}`,
  values: [...ledgerValues(version, stored), id],
})

const REGISTERED = `registered as (
      insert into stowage.versions (version, object_id, size, md5, sha256)
      select $1::uuid, published.id, $2::bigint, decode($3::text, 'hex'), decode($4::text, 'hex')
        from published
      returning object_id
    ), given_up as (
      insert into stowage.outbox (version, reason)
      select intent.version, 'abandoned'
        from intent
       where not exists (select from published)
      on conflict (version) do nothing
    )
    select object_id
      from registered`

const ledgerValues = (version: VersionId, { size, md5, sha256 }: StoredBytes): readonly PgText[] => [version, String(size), md5, sha256]

/** A page of the ledger in order of versions. */
export const pageOfVersions = (after: VersionId | null, limit: number): Statement => ({
  text: `/* moving.page_of_versions */
    select version,
           size,
           encode(md5, 'hex'),
           encode(sha256, 'hex')
      from stowage.versions
     where version > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid)
     order by version
     limit $2::integer`,
  values: [after, String(limit)],
})

export type LedgerEntry = { readonly version: VersionId; readonly stored: HashedBytes }

export const ledgerEntries = (rows: readonly Row[]): readonly LedgerEntry[] =>
  rows.map(([version, size, md5, sha256]) => ({
    version: (version ?? '') as VersionId,
    stored: { size: bytes(Number(size)), md5: md5 ?? '', sha256: sha256 ?? '' },
  }))

/** One row: how many versions there are, and their bytes. */
export const measureVersions = (): Statement => ({
  text: `/* moving.measure_versions */
    select count(*),
           coalesce(sum(size), 0)
      from stowage.versions`,
  values: [],
})

/** A page of objects whose bytes the ledger knows, in order of bucket and key, with what an export needs. */
export const pageOfObjects = (after: { readonly bucketId: string; readonly name: string } | null, limit: number): Statement => ({
  text: `/* moving.page_of_objects */
    select o.bucket_id,
           o.name,
           o.version,
           o.metadata::text,
           v.size,
           encode(v.md5, 'hex'),
           encode(v.sha256, 'hex'),
           format(
             'insert into storage.objects (id, bucket_id, name, owner, owner_id, created_at, updated_at, last_accessed_at, metadata, user_metadata, version) values (%L, %L, %L, %L, %L, %L, %L, %L, %L, %L, %L) on conflict do nothing;',
             o.id, o.bucket_id, o.name, o.owner, o.owner_id, o.created_at, o.updated_at, o.last_accessed_at, o.metadata, o.user_metadata, o.version
           )
      from storage.objects o
      join stowage.versions v
        on v.object_id = o.id
       and v.version::text = o.version
     where $1::text is null
        or (o.bucket_id, o.name collate "C") > ($1::text, $2::text)
     order by o.bucket_id, o.name collate "C"
     limit $3::integer`,
  values: [after?.bucketId ?? null, after?.name ?? null, String(limit)],
})

export type ExportedObject = {
  readonly bucketId: string
  readonly name: string
  readonly entry: LedgerEntry
  /** JSON text */
  readonly metadata: PgText
  /** the statement that makes the row elsewhere */
  readonly insert: string
}

export const exportedObjects = (rows: readonly Row[]): readonly ExportedObject[] =>
  rows.map(([bucketId, name, version, metadata, size, md5, sha256, insert]) => ({
    bucketId: bucketId ?? '',
    name: name ?? '',
    entry: { version: (version ?? '') as VersionId, stored: { size: bytes(Number(size)), md5: md5 ?? '', sha256: sha256 ?? '' } },
    metadata: metadata ?? null,
    insert: insert ?? '',
  }))

/** Statements that make the buckets elsewhere, one a row. */
export const exportedBuckets = (): Statement => ({
  text: `/* moving.exported_buckets */
    select format(
             'insert into storage.buckets (id, name, owner, owner_id, created_at, updated_at, public, avif_autodetection, file_size_limit, allowed_mime_types) values (%L, %L, %L, %L, %L, %L, %L, %L, %L, %L) on conflict do nothing;',
             b.id, b.name, b.owner, b.owner_id, b.created_at, b.updated_at, b.public, b.avif_autodetection, b.file_size_limit, b.allowed_mime_types
           )
      from storage.buckets b
     where b.type = 'STANDARD'
     order by b.id`,
  values: [],
})

/** One row: how many objects have no bytes that the ledger knows of. */
export const countWithoutBytes = (): Statement => ({
  text: `/* moving.count_without_bytes */
    select count(*)
      from storage.objects o
     where not exists (
       select
         from stowage.versions v
        where v.object_id = o.id
          and v.version::text = o.version
     )`,
  values: [],
})
