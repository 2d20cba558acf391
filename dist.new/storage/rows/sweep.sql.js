import { uuidArray } from './ledger.sql.js';
/** held by whoever sweeps */
export const SWEEP_LEASE = 'sweep';
/** never given back: while it lasts the store is not listed again, by no process */
export const SCAN_LEASE = 'scan';
/** Takes or renews a piece of upkeep for a while; a row comes back when it is ours. Holds no connection, and ends by itself. */
export const takeLease = (name, holder, lifeMs) => ({
    text: `/* sweep.take_lease */
    insert into stowage.leases as l (name, holder, expires_at)
    values ($1::text, $2::uuid, clock_timestamp() + $3::double precision * interval '1 millisecond')
    on conflict (name) do update
       set holder = excluded.holder,
           expires_at = excluded.expires_at
     where l.holder = excluded.holder
        or l.expires_at < clock_timestamp()
    returning holder`,
    values: [name, holder, String(lifeMs)],
});
export const endLease = (name, holder) => ({
    text: `/* sweep.end_lease */
    delete from stowage.leases
     where name = $1::text
       and holder = $2::uuid`,
    values: [name, holder],
});
export const findStoreId = () => ({
    text: `/* sweep.find_store_id */
    select store_id
      from stowage.store_marker`,
    values: [],
});
/** One row: the store's id, then whether versions wait to be removed, reservations have run out, the store is due to be listed. */
export const findWork = (graceMs, readerGraceMs) => ({
    text: `/* sweep.find_work */
    select (select store_id from stowage.store_marker),
           exists (
             select
               from stowage.outbox
              where queued_at <= clock_timestamp() - $2::double precision * interval '1 millisecond'
                and retry_at <= clock_timestamp()
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
                and expires_at > clock_timestamp()
           )`,
    values: [String(graceMs), String(readerGraceMs)],
});
/** Whoever comes first; the id that stands comes back by {@link findStoreId}. */
export const adoptStore = (storeId) => ({
    text: `/* sweep.adopt_store */
    insert into stowage.store_marker (store_id)
    values ($1::uuid)
    on conflict (only_one) do nothing`,
    values: [storeId],
});
/** Whether any row answers for stored bytes. */
export const hasVersions = () => ({
    text: `/* sweep.has_versions */
    select exists (select from stowage.versions)`,
    values: [],
});
/** One row: how many versions are current, and the database's time. */
export const countVersions = () => ({
    text: `/* sweep.count_versions */
    select count(*),
           clock_timestamp()
      from stowage.versions`,
    values: [],
});
export const countOutbox = () => ({
    text: `/* sweep.count_outbox */
    select count(*)
      from stowage.outbox`,
    values: [],
});
/** Of stored versions: those that nothing answers for, and of the others how many are an object's current bytes. One row: array, count. */
export const classifyStored = (versions) => ({
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
});
/** What a page of the listing says about suspects: the unknown ones are remembered, those behind it that are known or gone are cleared. */
export const recordSuspects = (unknown, after, last) => [
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
];
/**
 * Suspects of more than a grace ago, met by an earlier listing than the one begun at `began`, go to the outbox, if still nothing answers for them: neither the ledger nor, whatever the ledger
 * says, any row of storage.objects. One row: how many.
 */
export const condemnSuspects = (graceMs, began) => ({
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
});
