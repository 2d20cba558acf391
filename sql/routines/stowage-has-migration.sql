-- Whether a migration has run here, for the service that asks whether this is still the database it was started on. Runs as the owner of the
-- list, which the service's login may not read.
create or replace function stowage.has_migration(name text)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (select from stowage.migrations m where m.name = has_migration.name)
$$;

revoke all on function stowage.has_migration(text) from public;
grant execute on function stowage.has_migration(text) to stowage_service, service_role;
