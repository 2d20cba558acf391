-- Bytes whose row is gone or points elsewhere go to the outbox in the same transaction, whoever changed the row and however.
-- They run as the ledger's owner: callers have no rights on it. A row releases only the version that was published for it, so a row
-- put in by hand, with no version, with any text, or with the version of another object, never costs anybody their bytes.

create or replace function stowage.uuid_or_null(text)
returns uuid
language sql
immutable
parallel safe
return case when $1 ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then $1::uuid end;

create or replace function stowage.release_deleted_versions()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  with released as (
    delete from stowage.versions v
     using gone
     where v.version = stowage.uuid_or_null(gone.version)
       and v.object_id = gone.id
    returning v.version
  )
  insert into stowage.outbox (version, reason)
  select released.version, 'deleted'
    from released
  on conflict (version) do nothing;
  return null;
end
$$;

create or replace function stowage.release_superseded_version()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  with released as (
    delete from stowage.versions v
     where v.version = stowage.uuid_or_null(old.version)
       and v.object_id = old.id
    returning v.version
  )
  insert into stowage.outbox (version, reason)
  select released.version, 'superseded'
    from released
  on conflict (version) do nothing;
  return null;
end
$$;

create or replace function stowage.release_truncated_versions()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  with released as (
    delete from stowage.versions v
    returning v.version
  )
  insert into stowage.outbox (version, reason)
  select released.version, 'deleted'
    from released
  on conflict (version) do nothing;
  return null;
end
$$;

alter function stowage.release_deleted_versions() owner to stowage_service;
alter function stowage.release_superseded_version() owner to stowage_service;
alter function stowage.release_truncated_versions() owner to stowage_service;
revoke all on function stowage.release_deleted_versions(), stowage.release_superseded_version(), stowage.release_truncated_versions() from public;

create or replace trigger stowage_release_deleted
  after delete on storage.objects
  referencing old table as gone
  for each statement execute function stowage.release_deleted_versions();

-- no column list: a BEFORE trigger of the user's may change the version, too
create or replace trigger stowage_release_superseded
  after update on storage.objects
  for each row
  when (old.version is distinct from new.version)
  execute function stowage.release_superseded_version();

create or replace trigger stowage_release_truncated
  after truncate on storage.objects
  for each statement execute function stowage.release_truncated_versions();
