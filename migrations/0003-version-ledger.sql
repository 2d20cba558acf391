-- The ledger of stored bytes. A version is reserved (stowage.intents), current (stowage.versions), waiting to be removed (stowage.outbox), or gone.

grant usage on schema stowage to service_role;
grant usage, create on schema stowage to stowage_service;

-- bytes that may be arriving: reserved before the first byte, renewed while they flow, taken by whoever publishes or gives up
create table if not exists stowage.intents (
  version uuid not null primary key,
  bucket_id text not null,
  name text not null,
  reserved_at timestamptz not null default clock_timestamp(),
  renewed_at timestamptz not null default clock_timestamp()
);

-- bytes that the row object_id of storage.objects answers for, with what they hashed to when they were written
create table if not exists stowage.versions (
  version uuid not null primary key,
  object_id uuid not null,
  size bigint not null check (size >= 0),
  md5 bytea not null check (length(md5) = 16),
  sha256 bytea not null check (length(sha256) = 32),
  stored_at timestamptz not null default clock_timestamp()
);

-- bytes that nobody can reach any more, for the sweeper
create table if not exists stowage.outbox (
  version uuid not null primary key,
  reason text not null check (reason in ('superseded', 'deleted', 'abandoned', 'expired', 'orphaned')),
  queued_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  retry_at timestamptz not null default '-infinity'
);

-- stored bytes that no row answered for when they were first met
create table if not exists stowage.suspects (
  version uuid not null primary key,
  first_seen_at timestamptz not null default clock_timestamp()
);

-- the store that belongs to this database: the same id lies beside the bytes
create table if not exists stowage.store_marker (
  only_one boolean not null default true primary key check (only_one),
  store_id uuid not null,
  created_at timestamptz not null default clock_timestamp()
);

-- who does a piece of upkeep that one process should do at a time; holds no connection, ends by itself
create table if not exists stowage.leases (
  name text not null primary key,
  holder uuid not null,
  expires_at timestamptz not null
);

do $$
declare
  ledger text;
begin
  foreach ledger in array array['intents', 'versions', 'outbox', 'suspects', 'store_marker', 'leases'] loop
    execute format('alter table stowage.%I owner to stowage_service', ledger);
  end loop;
end $$;

-- rows live for seconds: vacuum by count, not by share
alter table stowage.intents set (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000);
alter table stowage.outbox set (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000);

revoke all on stowage.intents, stowage.versions, stowage.outbox, stowage.suspects, stowage.store_marker, stowage.leases from public;
grant select, insert, update, delete on stowage.intents, stowage.versions, stowage.outbox, stowage.suspects, stowage.store_marker, stowage.leases to service_role;
