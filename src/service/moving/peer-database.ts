import type { OwnerConnection } from '../../pg/owner-connection.ts'
import type { ForeignObject } from '../../storage/rows/moving.sql.ts'

/** The rows of a Supabase Storage, of any of its versions: columns that an older one lacks read as null. */
export type PeerDatabase = {
  /** rows as JSON */
  readonly buckets: () => Promise<readonly PeerBucket[]>
  /** of what {@link PeerDatabase.objects} gives */
  readonly measure: () => Promise<{ readonly objects: number; readonly bytes: number }>
  /** what a bucket with versions has besides */
  readonly history: () => Promise<History>
  /** those that are there now: of a key with versions the current one, unless that is the mark of a deletion */
  readonly objects: (bucketId: string, after: string, limit: number) => Promise<readonly ForeignObject[]>
  readonly policies: () => Promise<readonly Policy[]>
}

export type PeerBucket = { readonly id: string; readonly kind: string; readonly json: string }

export type History = { readonly olderVersions: number; readonly deletionMarks: number }

export type Policy = {
  readonly table: string
  readonly name: string
  readonly roles: readonly string[]
  /** `create policy ...`, every name qualified */
  readonly text: string
}

/** @param connection of somebody whom row security does not keep from rows; PostgreSQL refuses to hide any */
export async function openPeerDatabase(connection: OwnerConnection): Promise<PeerDatabase> {
  // expressions of policies then name schemas, and a row that row security would hide is an error instead
  await connection.query(`/* peer.prepare */
    set search_path = pg_catalog;
    set row_security = off;
    set timezone = 'UTC'`)
  const ask = async <T>(text: string, values?: string[]) => (await connection.query(text, values)).rows as T[]
  const hasVersions = await tells(ask, 'archived_at', 'is_delete_marker')
  const isThere = hasVersions ? 'o.archived_at is null and not o.is_delete_marker' : 'true'
  return {
    buckets: () =>
      ask(`/* peer.buckets */
        select b.id,
               coalesce(to_jsonb(b) ->> 'type', 'STANDARD') as kind,
               to_jsonb(b)::text as json
          from storage.buckets b
         order by b.id`),
    measure: async () => {
      const [row] = await ask<{ objects: string; bytes: string }>(`/* peer.measure */
        select count(*) as objects,
               coalesce(sum(case when o.metadata ->> 'size' ~ '^\\d{1,15}$' then (o.metadata ->> 'size')::bigint end), 0) as bytes
          from storage.objects o
         where ${isThere}`)
      return { objects: Number(row?.objects), bytes: Number(row?.bytes) }
    },
    history: async () => {
      if (!hasVersions) return { olderVersions: 0, deletionMarks: 0 }
      const [row] = await ask<Record<keyof History, string>>(`/* peer.history */
        select count(*) filter (where o.archived_at is not null) as "olderVersions",
               count(*) filter (where o.archived_at is null) as "deletionMarks"
          from storage.objects o
         where o.archived_at is not null
            or o.is_delete_marker`)
      return { olderVersions: Number(row?.olderVersions), deletionMarks: Number(row?.deletionMarks) }
    },
    objects: (bucketId, after, limit) =>
      ask(
        `/* peer.objects */
        select o.id::text as id,
               o.bucket_id as "bucketId",
               o.name,
               j.row ->> 'owner' as owner,
               coalesce(j.row ->> 'owner_id', j.row ->> 'owner') as "ownerId",
               j.row ->> 'created_at' as "createdAt",
               j.row ->> 'updated_at' as "updatedAt",
               j.row ->> 'last_accessed_at' as "lastAccessedAt",
               o.metadata::text as metadata,
               nullif((j.row -> 'user_metadata')::text, 'null') as "userMetadata",
               j.row ->> 'version' as version
          from storage.objects o
         cross join lateral (select to_jsonb(o) as row) j
         where o.bucket_id = $1::text
           and o.name collate "C" > $2::text
           and ${isThere}
         order by o.name collate "C"
         limit $3::integer`,
        [bucketId, after, String(limit)],
      ),
    policies: () =>
      ask(`/* peer.policies */
        select p.tablename as table,
               p.policyname as name,
               to_jsonb(p.roles) as roles,
               format(
                 'create policy %I on storage.%I as %s for %s to %s%s%s',
                 p.policyname,
                 p.tablename,
                 p.permissive,
                 p.cmd,
                 (select string_agg(case when r.name = 'public' then 'public' else quote_ident(r.name) end, ', ' order by r.name) from unnest(p.roles) as r (name)),
                 ' using (' || p.qual || ')',
                 ' with check (' || p.with_check || ')'
               ) as text
          from pg_policies p
         where p.schemaname = 'storage'
           and p.tablename in ('buckets', 'objects')
         order by p.tablename, p.policyname`),
  }
}

/** Whether its table of objects has these columns. */
async function tells(ask: <T>(text: string, values?: string[]) => Promise<T[]>, ...columns: readonly string[]): Promise<boolean> {
  const found = await ask<{ column: string }>(`/* peer.columns */
    select a.attname as column
      from pg_attribute a
     where a.attrelid = 'storage.objects'::regclass
       and a.attnum > 0
       and not a.attisdropped`)
  return columns.every((column) => found.some((one) => one.column === column))
}
