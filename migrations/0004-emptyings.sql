-- Buckets that are being emptied: what was promised is done by whichever process is there, also after a restart.

create table if not exists stowage.emptyings (
  bucket_id text not null primary key,
  -- what had been written when the promise was made; transactions are compared and no clocks, which may be set back
  moment pg_snapshot not null default pg_current_snapshot(),
  -- whose transactions these are: in a dump they mean nothing
  cluster bigint,
  requested_at timestamptz not null default clock_timestamp(),
  -- the last key that was looked at
  after_name text,
  removed bigint not null default 0,
  attempts integer not null default 0,
  -- from when on nobody is at work on it any more
  due_at timestamptz not null default clock_timestamp()
);

alter table stowage.emptyings owner to stowage_service;
revoke all on stowage.emptyings from public;
grant select, insert, update, delete on stowage.emptyings to service_role;
