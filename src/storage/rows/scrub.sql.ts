import type { Row } from '../../pg/scoped-batch.ts'
import type { Statement } from '../../sqltext/sql.ts'

/** An object, and what is known of its bytes: from the ledger, from its row, or not at all. */
export type ObjectToScrub = {
  readonly id: string
  readonly bucket: string
  readonly key: string
  readonly version: string | null
  readonly size: number | null
  /** lower-case hex */
  readonly sha256: string | null
  readonly crc32: number | null
}

/** In order of id, so that a scrub that was broken off can go on behind the last. */
export const nextToScrub = (after: string | null, bucket: string | null, limit: number): Statement => ({
  text: `/* scrub.next */
    select o.id,
           o.bucket_id,
           o.name,
           o.version,
           coalesce(v.size::text, o.metadata ->> 'size'),
           encode(v.sha256, 'hex'),
           o.crc32
      from storage.objects o
      left join stowage.versions v
        on v.version = stowage.uuid_or_null(o.version)
       and v.object_id = o.id
     where o.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid)
       and ($2::text is null or o.bucket_id = $2::text)
     order by o.id
     limit $3::integer`,
  values: [after, bucket, String(limit)],
})

export function objectToScrub([id, bucket, key, version, size, sha256, crc32]: Row): ObjectToScrub {
  const length = Number(size ?? Number.NaN)
  return {
    id: id ?? '',
    bucket: bucket ?? '',
    key: key ?? '',
    version: version ?? null,
    size: Number.isSafeInteger(length) && length >= 0 ? length : null,
    sha256: sha256 ?? null,
    crc32: crc32 == null ? null : Number(crc32),
  }
}

/** A row when the object still names this version. */
export const stillNames = (id: string, version: string | null): Statement => ({
  text: `/* scrub.still_names */
    select
      from storage.objects o
     where o.id = $1::uuid
       and o.version is not distinct from $2::text`,
  values: [id, version],
})

export const countToScrub = (after: string | null, bucket: string | null): Statement => ({
  text: `/* scrub.count */
    select count(*)
      from storage.objects o
     where o.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'::uuid)
       and ($2::text is null or o.bucket_id = $2::text)`,
  values: [after, bucket],
})
