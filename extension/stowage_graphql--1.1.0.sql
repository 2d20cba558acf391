-- stowage_graphql 1.1.0: what of the GraphQL API lives in the database. Pure SQL, so the same text installs without files too.

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

-- Called where an answer or an outcome is refused: the transaction with all its changes is undone. Unless it is parallel safe, no
-- statement that holds it is run by several processes.
create function stowage_graphql.refuse(message text) returns text
  language plpgsql
  parallel safe
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

-- The version of the schema as services compare it with the one they compiled for: another number after every committed change.
create function stowage_graphql.catalog_version() returns bigint
  language sql
  stable
as $$
  select bit_xor(v.id)
  from stowage_graphql.schema_version v
$$;

-- Has every service read the schema anew with its next request. PostgreSQL tells event triggers of all changes but those that no
-- single database owns (memberships in roles, attributes of roles) and `reassign owned`.
create function stowage_graphql.reload() returns void
  language sql
as $$
  insert into stowage_graphql.schema_version (id)
  select ('x' || left(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint
$$;
revoke execute on function stowage_graphql.reload() from public;

-- The object in the first @graphql(...) of a comment, or why it cannot be read; neither where the comment has none.
create function stowage_graphql.read_directive(comment_ text, out directive jsonb, out problem text)
  language plpgsql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
declare
  found text := (regexp_match(comment_, '@graphql\((.+)\)'))[1];
begin
  if comment_ like '%@graphql(%' and found is null then
    problem := 'the parentheses are empty or not closed';
    return;
  end if;
  directive := found::jsonb;
  if jsonb_typeof(directive) <> 'object' then
    directive := null;
    problem := 'JSON, but not an object in braces';
  end if;
exception when data_exception then
  get stacked diagnostics problem = pg_exception_detail;
  problem := 'not JSON: ' || problem;
end
$$;

-- What a directive may say: keys, and the form of their values.
create view stowage_graphql.directive_keys (about, key, form) as
values
  ('schema', 'inflect_names', 'true or false'),
  ('schema', 'introspection', 'true or false'),
  ('schema', 'max_rows', 'a whole number'),
  ('relation', 'name', 'a GraphQL name'),
  ('relation', 'description', 'a text'),
  ('relation', 'introspection', 'true or false'),
  ('relation', 'max_rows', 'a whole number'),
  ('relation', 'totalCount', '{"enabled": true}'),
  ('relation', 'aggregate', '{"enabled": true}'),
  ('relation', 'primary_key_columns', 'a list of column names'),
  ('relation', 'foreign_keys', 'a list of {"local_columns": [], "foreign_schema": "", "foreign_table": "", "foreign_columns": []}'),
  ('column', 'name', 'a GraphQL name'),
  ('column', 'description', 'a text'),
  ('function', 'name', 'a GraphQL name'),
  ('function', 'description', 'a text'),
  ('foreign key', 'local_name', 'a GraphQL name'),
  ('foreign key', 'foreign_name', 'a GraphQL name'),
  ('enum', 'name', 'a GraphQL name'),
  ('enum', 'mappings', 'an object with a GraphQL name for each label');

create function stowage_graphql.has_form(value_ jsonb, form text) returns boolean
  language sql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
  select jsonb_path_exists(
    jsonb_build_array(value_),
    case form
      when 'true or false' then '$[0] ? (@.type() == "boolean")'
      when 'a text' then '$[0] ? (@.type() == "string")'
      when 'a GraphQL name' then '$[0] ? (@ like_regex "^[_A-Za-z][_0-9A-Za-z]*$")'
      when 'a whole number' then '$[0] ? (@.type() == "number" && @ >= 0 && @ == @.floor() || @ like_regex "^[0-9]+$")'
      when '{"enabled": true}' then '$[0] ? (@.enabled.type() == "boolean")'
      when 'a list of column names' then 'strict $[0] ? (@.type() == "array" && !exists(@[*] ? (@.type() != "string")))'
      when 'an object with a GraphQL name for each label' then
        'strict $[0] ? (@.type() == "object" && !exists(@.* ? (!(@ like_regex "^[_A-Za-z][_0-9A-Za-z]*$"))))'
      else
        'strict $[0] ? (@.type() == "array" && !exists(@[*] ? (
          !(@.local_columns.type() == "array" && @.foreign_columns.type() == "array"
            && @.foreign_schema.type() == "string" && @.foreign_table.type() == "string"))))'
    end::jsonpath
  )
$$;

-- Every comment with a directive: what it is about, what it says, and what of it cannot count.
create view stowage_graphql.directives as
select
  o.type as kind,
  o.identity as object,
  r.directive,
  coalesce(r.problem, keys.problem, names.problem) as problem
from pg_catalog.pg_description d
cross join lateral pg_identify_object(d.classoid, d.objoid, d.objsubid) o
cross join lateral stowage_graphql.read_directive(d.description) r
left join pg_catalog.pg_class c on c.tableoid = d.classoid and c.oid = d.objoid and c.relkind in ('r', 'v', 'm', 'f', 'p')
left join pg_catalog.pg_constraint k on k.tableoid = d.classoid and k.oid = d.objoid and k.contype = 'f'
left join pg_catalog.pg_type t on t.tableoid = d.classoid and t.oid = d.objoid and t.typtype = 'e'
left join pg_catalog.pg_proc f on f.tableoid = d.classoid and f.oid = d.objoid and f.prokind = 'f'
left join pg_catalog.pg_namespace n on n.tableoid = d.classoid and n.oid = d.objoid
cross join lateral (
  select case
    when c.oid is not null then case d.objsubid when 0 then 'relation' else 'column' end
    when k.oid is not null then 'foreign key'
    when t.oid is not null then 'enum'
    when f.oid is not null then 'function'
    when n.oid is not null then 'schema'
  end
) about (kind)
cross join lateral (
  select case
    when about.kind is null then format('comments on objects of this kind (%s) are not looked at', o.type)
    else string_agg(
      case
        when known.key is null then format('unknown key "%s"', given.key)
        else format('"%s" must be %s', given.key, known.form)
      end,
      ', '
      order by given.key
    )
  end
  from jsonb_each(r.directive) given
  left join stowage_graphql.directive_keys known on known.about = about.kind and known.key = given.key
  where given.value <> 'null'
    and (known.key is null or not stowage_graphql.has_form(given.value, known.form))
) keys (problem)
cross join lateral (
  select string_agg(distinct format('there is no column "%s"', named.column_), ', ')
  from (
    select jsonb_path_query(r.directive, '$.primary_key_columns[*]') #>> '{}'
    union all
    select jsonb_path_query(r.directive, '$.foreign_keys[*].local_columns[*]') #>> '{}'
  ) named (column_)
  where about.kind = 'relation'
    and not exists (
      select
      from pg_catalog.pg_attribute a
      where a.attrelid = c.oid
        and a.attname = named.column_
        and a.attnum > 0
        and not a.attisdropped
    )
) names (problem)
where d.description like '%@graphql(%';

-- Why the GraphQL API does not show a relation to a role; null: nothing in the database is in the way.
create function stowage_graphql.why_missing(relation regclass, role name default 'anon') returns text
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  select case
    when c.relkind not in ('r', 'v', 'm', 'f', 'p') then 'it is neither a table nor a view'
    when not has_schema_privilege(role, n.oid, 'usage') then format('%I may not use the schema %I: grant usage on it', role, n.nspname)
    when not has_any_column_privilege(role, c.oid, 'select') then format('%I may read none of its columns: grant select on it', role)
    when coalesce(r.directive ->> 'name', c.relname) !~ '^[_A-Za-z][_0-9A-Za-z]*$'
      then concat('its name is no GraphQL name: give it one by "name" in its comment directive' , said.problem)
    when not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
      and not exists (
        select
        from pg_attribute a
        where a.attrelid = c.oid
          and a.attnum > 0
          and not a.attisdropped
          and r.directive -> 'primary_key_columns' @> jsonb_build_array(a.attname)
      )
      then concat('it has no primary key: name its key columns by "primary_key_columns" in its comment directive', said.problem)
  end
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  cross join lateral stowage_graphql.read_directive(obj_description(c.oid, 'pg_class')) r
  cross join lateral (select ' (the one it has is ' || r.problem || ')') said (problem)
  where c.oid = relation
$$;

create function stowage_graphql.installed_version() returns text
  language sql
  immutable
as $$
  select '1.1.0'::text
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
grant execute on function
  stowage_graphql.catalog_version(),
  stowage_graphql.read_directive(text),
  stowage_graphql.has_form(jsonb, text),
  stowage_graphql.why_missing(regclass, name)
to public;
grant select on stowage_graphql.directive_keys, stowage_graphql.directives to public;
