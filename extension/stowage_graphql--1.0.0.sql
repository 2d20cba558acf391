-- stowage_graphql 1.0.0: what of the GraphQL API lives in the database. Pure SQL, so the same text installs without files too.

-- The schema's version is the XOR of these random ids: it changes exactly when a transaction that changed the schema commits,
-- and inside that transaction at once. A sequence would be wrong (its number is visible before the change is), a single updated
-- row too (concurrent changes would wait for each other).
create table stowage_graphql.schema_version (
  id bigint not null
);
insert into stowage_graphql.schema_version (id)
select ('x' || left(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint;

create function stowage_graphql.note_schema_change() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  fresh bigint := ('x' || left(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint;
begin
  -- these change what is stored, not its shape, and are run by the clock
  if tg_tag in ('REFRESH MATERIALIZED VIEW', 'REINDEX') then
    return;
  end if;
  -- temporary objects are their session's own affair
  if tg_event = 'ddl_command_end' then
    if not exists (select from pg_event_trigger_ddl_commands() c where c.schema_name is distinct from 'pg_temp') then
      return;
    end if;
  elsif not exists (select from pg_event_trigger_dropped_objects() d where not d.is_temporary) then
    return;
  end if;
  insert into stowage_graphql.schema_version (id) values (fresh);
  -- Under repeatable read a row that another transaction deleted meanwhile would raise an error in the user's statement: leave them.
  if current_setting('transaction_isolation') in ('read committed', 'read uncommitted') then
    delete from stowage_graphql.schema_version v
    where v.ctid = any (array(
      select old.ctid
      from stowage_graphql.schema_version old
      where old.id <> fresh
      for update skip locked
    ));
  end if;
end
$$;

create event trigger stowage_graphql_changed on ddl_command_end
  execute function stowage_graphql.note_schema_change();
create event trigger stowage_graphql_dropped on sql_drop
  execute function stowage_graphql.note_schema_change();
-- also in sessions that replay or restore something, with session_replication_role = replica
alter event trigger stowage_graphql_changed enable always;
alter event trigger stowage_graphql_dropped enable always;

-- Called by a request when the schema is not the one it was compiled for.
create function stowage_graphql.raise_stale_catalog() returns void
  language plpgsql
  parallel safe
as $$
begin
  raise exception 'the schema has changed since the request was compiled' using errcode = 'SW001';
end
$$;

-- Called inside a mutation whose outcome is refused: the transaction with all its changes is undone.
create function stowage_graphql.refuse(message text) returns text
  language plpgsql
as $$
begin
  raise exception '%', message;
end
$$;

-- The JSON of the first @graphql(...) in a comment; {} when there is none.
create function stowage_graphql.comment_directive(comment_ text) returns jsonb
  language sql
  immutable
as $$
  select coalesce((regexp_match(comment_, '@graphql\((.+)\)'))[1]::jsonb, jsonb_build_object())
$$;

create function stowage_graphql.installed_version() returns text
  language sql
  immutable
as $$
  select '1.0.0'::text
$$;

-- said in full: a database may have other default privileges
grant usage on schema stowage_graphql to public;
grant select on stowage_graphql.schema_version to public;
grant execute on function
  stowage_graphql.raise_stale_catalog(),
  stowage_graphql.refuse(text),
  stowage_graphql.comment_directive(text),
  stowage_graphql.installed_version()
to public;
