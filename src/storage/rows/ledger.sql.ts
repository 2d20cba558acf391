import type { HashedBytes, StoredBytes, VersionId } from '../../bytes/byte-store.ts'
import type { Row } from '../../pg/scoped-batch.ts'
import type { PgText, Statement } from '../../sqltext/sql.ts'
import { bytes, type Milliseconds } from '../../std/brand.ts'

/** Where and what an upload or copy publishes. Texts as PostgreSQL reads them; null leaves a column empty. */
export type Publication = {
  readonly version: VersionId
  readonly bucketId: string
  readonly key: string
  /** the subject; also the deprecated column `owner` when it is a UUID */
  readonly ownerId: PgText
  /** JSON text */
  readonly metadata: PgText
  /** JSON text; null keeps what a replaced row has */
  readonly userMetadata: PgText
  readonly stored: StoredBytes
}

/**
 * Before the first byte. The commit of this batch need not reach the disk: an intent lost in a power cut only means that the
 * version is found by listing the store, and nobody can publish it.
 */
export const reserveVersion = (version: VersionId, bucketId: string, key: string): Statement => ({
  text: `/* ledger.reserve */
    insert into stowage.intents (version, bucket_id, name)
    select $1::uuid, $2::text, $3::text
      from set_config('synchronous_commit', 'off', true)`,
  values: [version, bucketId, key],
})

/**
 * The same in a batch with {@link findUploadRules}, for an upload that nobody has to be asked about. One row when it was reserved, which happens
 * only where what is known by now speaks for it: there is such a bucket, it takes that many bytes of any type, and the key is free or may be replaced.
 */
export const reserveIfWelcome = (
  version: VersionId,
  bucketId: string,
  key: string,
  upload: { readonly size: number; readonly replaces: boolean },
): Statement => ({
  text: `/* ledger.reserve_if_welcome */
    insert into stowage.intents (version, bucket_id, name)
    select $1::uuid, b.id, $3::text
      from storage.buckets b, set_config('synchronous_commit', 'off', true)
     where b.id = $2::text
       and b.allowed_mime_types is null
       and coalesce($4::bigint <= b.file_size_limit, true)
       and ($5::boolean or not exists (select from storage.objects o where o.bucket_id = b.id and o.name = $3::text))
    returning 1`,
  values: [version, bucketId, key, String(upload.size), String(upload.replaces)],
})

/** Says of versions whose bytes still flow that somebody is at work. */
export const renewVersions = (versions: readonly VersionId[]): Statement => ({
  text: `/* ledger.renew */
    update stowage.intents
       set renewed_at = clock_timestamp()
     where version = any ($1::uuid[])`,
  values: [uuidArray(versions)],
})

/** Instead of publishing: the bytes, whole or part, are removed soon. Nothing happens when the version was published or taken already. */
export const abandonVersion = (version: VersionId): Statement => ({
  text: `/* ledger.abandon */
    with given_up as (
      delete from stowage.intents
       where version = $1::uuid
      returning version
    )
    insert into stowage.outbox (version, reason)
    select version, 'abandoned'
      from given_up
    on conflict (version) do nothing`,
  values: [version],
})

/** The reservation of version $1, which only one can take: whoever publishes, or the sweeper. */
export const TAKEN_INTENT = `intent as (
      delete from stowage.intents
       where version = $1::uuid
      returning version
    )`

const PUBLISHED_VALUES = `$2::text, $3::text, $1::text, stowage.uuid_or_null(lower($4::text)), $4::text, $5::jsonb, $6::jsonb, $10::bigint, $7::bigint`

const REGISTERED = `registered as (
      insert into stowage.versions (version, object_id, size, md5, sha256)
      select $1::uuid, published.id, $7::bigint, decode($8::text, 'hex'), decode($9::text, 'hex')
        from published
    )`

const PUBLISHED_ANSWER = `select exists (select from intent) as reserved,
           published.id,
           published.created_at,
           published.updated_at
      from (select) as always
      left join published on true`

const PUBLISH_NEW = `/* ledger.publish_new */
    with ${TAKEN_INTENT}, published as (
      insert into storage.objects (bucket_id, name, version, owner, owner_id, metadata, user_metadata, crc32, byte_length)
      select ${PUBLISHED_VALUES}
        from intent
      on conflict (bucket_id, name) do nothing
      returning id, created_at, updated_at
    ), ${REGISTERED}, given_up as (
      insert into stowage.outbox (version, reason)
      select intent.version, 'abandoned'
        from intent
       where not exists (select from published)
    )
    ${PUBLISHED_ANSWER}`

/**
 * Exclusive create, as service. One row always: `reserved` (t/f), then id, created_at, updated_at, which are null when no row was made.
 * - reserved = f: the intent was taken by the sweeper meanwhile (or by an earlier try of ours); nothing was written
 * - reserved = t and id null: somebody else's object has the key; the bytes are in the outbox
 * @throws SQLSTATE 23503 when the bucket is gone: then abandon the version
 */
export const publishNew = (publication: Publication): Statement => ({
  text: PUBLISH_NEW,
  values: publicationValues(publication),
})

const PUBLISH_OVER = `/* ledger.publish_over */
    with ${TAKEN_INTENT}, published as (
      insert into storage.objects as o (bucket_id, name, version, owner, owner_id, metadata, user_metadata, crc32, byte_length)
      select ${PUBLISHED_VALUES}
        from intent
      on conflict (bucket_id, name) do update
         set version = excluded.version,
             owner = case when excluded.owner_id is null then o.owner else excluded.owner end,
             owner_id = coalesce(excluded.owner_id, o.owner_id),
             metadata = excluded.metadata,
             user_metadata = coalesce(excluded.user_metadata, o.user_metadata),
             crc32 = excluded.crc32,
             byte_length = excluded.byte_length
       where 1 / (not $11::boolean or coalesce(o.version in ($12::text, $1::text), false))::int = 1
      returning id, created_at, updated_at
    ), ${REGISTERED}
    ${PUBLISHED_ANSWER}`

/** Which object a publication may replace: any, or the one of this version (null: none) and our own, which an earlier try that was not answered may have made. */
export type Replaceable = 'any' | { readonly version: string | null }

/**
 * Create or replace, as service; answers as {@link publishNew}. A replaced row keeps id and created_at, and its owner when nobody
 * is known to own the new bytes; the version it had goes to the outbox by trigger.
 * @throws SQLSTATE 22012 (division by zero) when there is one that may not be replaced: then nothing has happened
 */
export const publishOver = (publication: Publication, over: Replaceable = 'any'): Statement => ({
  text: PUBLISH_OVER,
  values: [...publicationValues(publication), ...(over === 'any' ? ['f', null] : ['t', over.version])],
})

function publicationValues({ version, bucketId, key, ownerId, metadata, userMetadata, stored }: Publication): readonly PgText[] {
  return [version, bucketId, key, ownerId, metadata, userMetadata, String(stored.size), stored.md5, stored.sha256, String(stored.crc32)]
}

/** What the bytes of a version hashed to when they were written; no row: the ledger does not know it. */
export const findStored = (version: VersionId): Statement => ({
  text: `/* ledger.find_stored */
    select size,
           encode(md5, 'hex'),
           encode(sha256, 'hex')
      from stowage.versions
     where version = $1::uuid`,
  values: [version],
})

export function foundStored(row: Row | undefined): HashedBytes | null {
  const [size, md5, sha256] = row ?? []
  return size == null || md5 == null || sha256 == null ? null : { size: bytes(Number(size)), md5, sha256 }
}

/** Intents nobody renewed for so long are somebody's crash: their versions go to the outbox. Answers one row with the number. */
export const expireIntents = (graceMs: Milliseconds): Statement => ({
  text: `/* ledger.expire_intents */
    with expired as (
      delete from stowage.intents
       where renewed_at < clock_timestamp() - $1::double precision * interval '1 millisecond'
      returning version
    ), queued as (
      insert into stowage.outbox (version, reason)
      select version, 'expired'
        from expired
      on conflict (version) do nothing
    )
    select count(*)
      from expired`,
  values: [String(graceMs)],
})

/** How many intents {@link expireIntents} would take. */
export const countExpiredIntents = (graceMs: Milliseconds): Statement => ({
  text: `/* ledger.count_expired_intents */
    select count(*)
      from stowage.intents
     where renewed_at < clock_timestamp() - $1::double precision * interval '1 millisecond'`,
  values: [String(graceMs)],
})

/** Nobody waits longer than an hour: what says so was written before the clock was set back. */
export const RETRY_IS_DUE = `retry_at not between clock_timestamp() and clock_timestamp() + interval '2 hours'`

/**
 * Due versions in ascending order, so that one that cannot be removed holds up no other; each with whether it may go (t/f): what the ledger
 * answers for stays. Looked up for these alone, behind the limit: a filter would be a join over the whole outbox for every page of it.
 */
export const nextOutbox = (after: VersionId | null, delayMs: Milliseconds, limit: number): Statement => ({
  text: `/* ledger.next_outbox */
    select due.version,
           not exists (select from stowage.versions v where v.version = due.version)
             and not exists (select from stowage.intents i where i.version = due.version)
      from (
        select x.version
          from stowage.outbox x
         where x.version > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid)
           and x.queued_at <= clock_timestamp() - $2::double precision * interval '1 millisecond'
           and x.retry_at <= clock_timestamp()
         order by x.version
         limit $3::integer
      ) as due
     order by due.version`,
  values: [after, String(delayMs), String(limit)],
})

export const forgetOutbox = (versions: readonly VersionId[]): Statement => ({
  text: `/* ledger.forget_outbox */
    delete from stowage.outbox
     where version = any ($1::uuid[])`,
  values: [uuidArray(versions)],
})

/** The wait doubles from a second to an hour. */
export const postponeOutbox = (versions: readonly VersionId[]): Statement => ({
  text: `/* ledger.postpone_outbox */
    update stowage.outbox
       set attempts = attempts + 1,
           retry_at = clock_timestamp() + least(power(2, least(attempts, 12)), 3600) * interval '1 second'
     where version = any ($1::uuid[])`,
  values: [uuidArray(versions)],
})

export const uuidArray = (versions: readonly VersionId[]): string => `{${versions.join(',')}}`
