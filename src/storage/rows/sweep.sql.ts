import type { VersionId } from '../../bytes/byte-store.ts'
import type { Statement } from '../../sqltext/sql.ts'
import type { Milliseconds } from '../../std/brand.ts'
import { RETRY_IS_DUE, uuidArray } from './ledger.sql.ts'

/** held by whoever sweeps */
export const SWEEP_LEASE = 'sweep'
/** never given back: while it lasts the store is not listed again, by no process */
export const SCAN_LEASE = 'scan'

/** while it lasts nothing is removed, by no process */
const HOLD_LEASE = 'hold'

/** A later hold takes the place of an earlier one. One row: when it ends. */
export const setHold = (holder: string, lifeMs: Milliseconds): Statement => ({
  text: `/* sweep.set_hold */
    insert into stowage.leases (name, holder, expires_at)
    values ('${HOLD_LEASE}', $1::uuid, clock_timestamp() + $2::double precision * interval '1 millisecond')
    on conflict (name) do update
       set holder = excluded.holder,
           expires_at = excluded.expires_at
    returning date_trunc('second', expires_at)`,
  values: [holder, String(lifeMs)],
})

export const endHold = (): Statement => ({
  text: `/* sweep.end_hold */
    delete from stowage.leases
     where name = '${HOLD_LEASE}'
    returning holder`,
  values: [],
})

/**
 * Takes or renews a piece of upkeep for a while; a row comes back when it is ours. Holds no connection, and ends by itself. One that would last
 * longer than any is taken for was made before the clock was set back, and counts as ended.
 */
export const takeLease = (name: string, holder: string, lifeMs: Milliseconds): Statement => ({
  text: `/* sweep.take_lease */
    insert into stowage.leases as l (name, holder, expires_at)
    values ($1::text, $2::uuid, clock_timestamp() + $3::double precision * interval '1 millisecond')
    on conflict (name) do update
       set holder = excluded.holder,
           expires_at = excluded.expires_at
     where l.holder = excluded.holder
        or l.expires_at not between clock_timestamp() and clock_timestamp() + $3::double precision * interval '1 millisecond'
    returning holder`,
  values: [name, holder, String(lifeMs)],
})

export const endLease = (name: string, holder: string): Statement => ({
  text: `/* sweep.end_lease */
    delete from stowage.leases
     where name = $1::text
       and holder = $2::uuid`,
  values: [name, holder],
})

export const findStoreId = (): Statement => ({
  text: `/* sweep.find_store_id */
    select store_id
      from stowage.store_marker`,
  values: [],
})

/**
 * One row: the store's id, then whether versions wait to be removed, reservations have run out, the store is due to be listed; then which
 * database this is: its cluster, the number of a table that another copy of it would give another number, and how far its log is on the disk;
 * and until when removals are on hold.
 */
export const findWork = (graceMs: Milliseconds, readerGraceMs: Milliseconds, scanIntervalMs: Milliseconds): Statement => ({
  text: `/* sweep.find_work */
    select (select store_id from stowage.store_marker),
           exists (
             select
               from stowage.outbox
              where queued_at <= clock_timestamp() - $2::double precision * interval '1 millisecond'
                and ${RETRY_IS_DUE}
           ),
           exists (
             select
               from stowage.intents
              where renewed_at < clock_timestamp() - $1::double precision * interval '1 millisecond'
           ),
           not exists (
             select
               from stowage.leases
              where name = '${SCAN_LEASE}'
                and expires_at between clock_timestamp() and clock_timestamp() + $3::double precision * interval '1 millisecond'
           ),
           stowage.cluster_id(),
           'stowage.versions'::regclass::oid,
           pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0'),
           (
             select date_trunc('second', expires_at)
               from stowage.leases
              where name = '${HOLD_LEASE}'
                and expires_at > clock_timestamp()
           )`,
  values: [String(graceMs), String(readerGraceMs), String(scanIntervalMs)],
})

/** Whoever comes first; the id that stands comes back by {@link findStoreId}. */
export const adoptStore = (storeId: string): Statement => ({
  text: `/* sweep.adopt_store */
    insert into stowage.store_marker (store_id)
    values ($1::uuid)
    on conflict (only_one) do nothing`,
  values: [storeId],
})

/** Whether any row answers for stored bytes. */
export const hasVersions = (): Statement => ({
  text: `/* sweep.has_versions */
    select exists (select from stowage.versions)`,
  values: [],
})

/** One row: how many versions are current, and the database's time. */
export const countVersions = (): Statement => ({
  text: `/* sweep.count_versions */
    select count(*),
           clock_timestamp()
      from stowage.versions`,
  values: [],
})

export const countOutbox = (): Statement => ({
  text: `/* sweep.count_outbox */
    select count(*)
      from stowage.outbox`,
  values: [],
})

/** What a pass would remove or let run out now, and why, in words; those that wait longest first. */
export const foreseeRemovals = (graceMs: Milliseconds, readerGraceMs: Milliseconds, limit: number): Statement => ({
  text: `/* sweep.foresee */
    select version,
           why
      from (
        select x.version,
               case x.reason
                 when 'superseded' then 'its object was overwritten'
                 when 'deleted' then 'its object was deleted'
                 when 'abandoned' then 'its upload was given up'
                 when 'expired' then 'its upload ended without a word'
                 when 'orphaned' then 'nothing answered for it in two listings'
               end as why,
               x.queued_at as since
          from stowage.outbox x
         where x.queued_at <= clock_timestamp() - $2::double precision * interval '1 millisecond'
           and ${RETRY_IS_DUE}
           and not exists (select from stowage.versions v where v.version = x.version)
           and not exists (select from stowage.intents i where i.version = x.version)
        union all
        select i.version,
               format('its upload to %s/%s was last heard of at %s', i.bucket_id, i.name, i.renewed_at),
               i.renewed_at
          from stowage.intents i
         where i.renewed_at < clock_timestamp() - $1::double precision * interval '1 millisecond'
      ) as due
     order by since
     limit $3::integer`,
  values: [String(graceMs), String(readerGraceMs), String(limit)],
})

/** Since when each of these versions has been a suspect; one that is none yet, from now on. */
export const suspectedSince = (versions: readonly VersionId[]): Statement => ({
  text: `/* sweep.suspected_since */
    select unknown.version,
           coalesce(s.first_seen_at, clock_timestamp())
      from unnest($1::uuid[]) as unknown (version)
      left join stowage.suspects s
        on s.version = unknown.version
     order by unknown.version`,
  values: [uuidArray(versions)],
})

/** Of stored versions: those that nothing answers for, and of the others how many are an object's current bytes. One row: array, count. */
export const classifyStored = (versions: readonly VersionId[]): Statement => ({
  text: `/* sweep.classify_stored */
    select array_agg(stored.version order by stored.version) filter (where not current.known and not waiting.known) as unknown,
           count(*) filter (where current.known) as current
      from unnest($1::uuid[]) as stored (version)
      cross join lateral (
        select exists (
          select
            from stowage.versions v
            join storage.objects o
              on o.id = v.object_id
             and o.version = v.version::text
           where v.version = stored.version
        ) as known
      ) as current
      cross join lateral (
        select exists (select from stowage.intents i where i.version = stored.version)
            or exists (select from stowage.outbox x where x.version = stored.version) as known
      ) as waiting`,
  values: [uuidArray(versions)],
})

/** What a page of the listing says about suspects: the unknown ones are remembered, those behind it that are known or gone are cleared. */
export const recordSuspects = (unknown: readonly VersionId[], after: VersionId | null, last: VersionId | null): readonly Statement[] => [
  {
    text: `/* sweep.clear_suspects */
      delete from stowage.suspects
       where ($2::uuid is null or version > $2::uuid)
         and ($3::uuid is null or version <= $3::uuid)
         and version <> all ($1::uuid[])`,
    values: [uuidArray(unknown), after, last],
  },
  {
    text: `/* sweep.add_suspects */
      insert into stowage.suspects (version)
      select unnest($1::uuid[])
      on conflict (version) do nothing`,
    values: [uuidArray(unknown)],
  },
]

/**
 * Suspects of more than a grace ago, met by an earlier listing than the one begun at `began`, go to the outbox, if still nothing answers for them: neither the ledger nor, whatever the ledger
 * says, any row of storage.objects. One row: how many.
 */
export const condemnSuspects = (graceMs: Milliseconds, began: string): Statement => ({
  text: `/* sweep.condemn_suspects */
    with due as (
      select s.version
        from stowage.suspects s
       where s.first_seen_at < clock_timestamp() - $1::double precision * interval '1 millisecond'
         and s.first_seen_at < $2::timestamptz
         and not exists (select from stowage.intents i where i.version = s.version)
         and not exists (select from storage.objects o where o.version = s.version::text)
    ), condemned as (
      delete from stowage.suspects s
       using due
       where s.version = due.version
      returning s.version
    ), forgotten as (
      delete from stowage.versions v
       using condemned
       where v.version = condemned.version
    ), queued as (
      insert into stowage.outbox (version, reason)
      select condemned.version, 'orphaned'
        from condemned
      on conflict (version) do nothing
    )
    select count(*)
      from condemned`,
  values: [String(graceMs), began],
})
