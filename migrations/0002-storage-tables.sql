-- storage.buckets and storage.objects with the columns, constraint and index names that policies and SQL written for Supabase Storage use.
-- An existing schema is taken over: nothing is dropped but listing functions of another signature, owners stay, what is missing is added.

create schema if not exists storage authorization stowage_service;
grant usage, create on schema storage to stowage_service;
grant usage on schema storage to anon, authenticated, service_role;

do $$
begin
  if to_regtype('storage.buckettype') is null then
    create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
    alter type storage.buckettype owner to stowage_service;
  end if;

  if to_regclass('storage.buckets') is null then
    create table storage.buckets (
      id text not null primary key,
      name text not null
    );
    alter table storage.buckets owner to stowage_service;
  end if;

  -- keys compare by bytes, so that one index serves uniqueness, look-ups and listing in every locale
  if to_regclass('storage.objects') is null then
    create table storage.objects (
      id uuid not null default gen_random_uuid() primary key,
      bucket_id text,
      name text collate "C"
    );
    alter table storage.objects owner to stowage_service;
  end if;
end $$;

alter table storage.buckets
  add column if not exists owner uuid,
  add column if not exists created_at timestamptz default now(),
  add column if not exists updated_at timestamptz default now(),
  add column if not exists public boolean default false,
  add column if not exists avif_autodetection boolean default false,
  add column if not exists file_size_limit bigint,
  add column if not exists allowed_mime_types text[],
  add column if not exists owner_id text,
  add column if not exists type storage.buckettype not null default 'STANDARD',
  add column if not exists versioning_status text not null default 'DISABLED';

alter table storage.objects
  add column if not exists owner uuid,
  add column if not exists created_at timestamptz default now(),
  add column if not exists updated_at timestamptz default now(),
  add column if not exists last_accessed_at timestamptz default now(),
  add column if not exists metadata jsonb,
  add column if not exists path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  add column if not exists version text,
  add column if not exists owner_id text,
  add column if not exists user_metadata jsonb,
  add column if not exists archived_at timestamptz,
  add column if not exists is_delete_marker boolean not null default false,
  add column if not exists is_versioned boolean not null default false;

comment on column storage.buckets.owner is 'deprecated: owner_id holds subjects that are no UUID, too';
comment on column storage.objects.owner is 'deprecated: owner_id holds subjects that are no UUID, too';
comment on column storage.objects.version is 'the name its bytes are stored under; written by the service only';

create unique index if not exists bname on storage.buckets (name);
create unique index if not exists bucketid_objname on storage.objects (bucket_id, name);

do $$
declare
  bytewise boolean;
begin
  if not exists (select from pg_constraint where conrelid = 'storage.objects'::regclass and contype = 'f' and confrelid = 'storage.buckets'::regclass) then
    alter table storage.objects
      add constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id);
  end if;

  select a.attcollation = '"C"'::regcollation
    into bytewise
    from pg_attribute a
   where a.attrelid = 'storage.objects'::regclass
     and a.attname = 'name';

  -- where bucketid_objname is bytewise itself, this index would be its double
  if not bytewise then
    create index if not exists idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");
  end if;
end $$;

-- Listing ignores the case of ASCII letters, whatever the locale of the database. A column, because row security lets only leakproof
-- conditions look into an index: an expression index on lower(name) would be walked from the bucket's first key.
alter table storage.objects
  add column if not exists name_folded text collate "C" generated always as (lower(name collate "C")) stored;
comment on column storage.objects.name_folded is 'the key in lower case (ASCII only), for listing';
create index if not exists stowage_objects_bucket_id_name_folded on storage.objects (bucket_id, name_folded, name collate "C");

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;

-- row security is the gate; TRUNCATE does not ask it
revoke truncate, references, trigger on storage.buckets, storage.objects from public, anon, authenticated, service_role;
grant select, insert, update, delete on storage.buckets, storage.objects to anon, authenticated, service_role, stowage_service;

-- made anew from sql/routines: an overload or another row type would make calls ambiguous or refuse to be replaced
do $$
declare
  routine regprocedure;
begin
  for routine in
    select p.oid::regprocedure
      from pg_proc p
     where p.pronamespace = 'storage'::regnamespace
       and p.proname in ('search', 'search_v2', 'search_by_timestamp', 'list_objects_with_delimiter', 'get_size_by_bucket')
  loop
    execute format('drop function %s', routine);
  end loop;
end $$;
