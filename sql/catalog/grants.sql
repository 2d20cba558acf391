/*
 catalog.grants: what each role may do with what the search path shows, a row a role; $1 schema names, $2 role names.
 As JSON: names of usable schemas; types that must not be used; functions; relations with the columns for select, insert and update
 (null: none, true: the whole relation, else their numbers), and delete. Types are few that are closed, and neither rows nor arrays are asked about:
 of an array it is its element that counts.
*/
select
  r.rolname,
  (select bit_xor(v.id)::text from stowage_graphql.schema_version v),
  json_build_array(
    (select json_agg(n.nspname order by n.oid) from pg_catalog.pg_namespace n where has_schema_privilege(r.oid, n.oid, 'usage')),
    (
      select json_agg(t.oid::int8 order by t.oid)
      from pg_catalog.pg_type t
      where t.typtype <> 'c' and t.typcategory <> 'A' and not has_type_privilege(r.oid, t.oid, 'usage')
    ),
    (
      select json_agg(p.oid::int8 order by p.oid)
      from pg_catalog.pg_proc p
      where p.pronamespace = any (array(select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[])))
        and p.prokind = 'f'
        and has_function_privilege(r.oid, p.oid, 'execute')
    ),
    (
      select json_agg(json_build_array(
          c.oid::int8,
          case when has_table_privilege(r.oid, c.oid, 'select') then to_json(true) else (
            select json_agg(a.attnum order by a.attnum)
            from pg_catalog.pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(r.oid, c.oid, a.attnum, 'select')
          ) end,
          case when has_table_privilege(r.oid, c.oid, 'insert') then to_json(true) when has_any_column_privilege(r.oid, c.oid, 'insert') then (
            select json_agg(a.attnum order by a.attnum)
            from pg_catalog.pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(r.oid, c.oid, a.attnum, 'insert')
          ) end,
          case when has_table_privilege(r.oid, c.oid, 'update') then to_json(true) when has_any_column_privilege(r.oid, c.oid, 'update') then (
            select json_agg(a.attnum order by a.attnum)
            from pg_catalog.pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(r.oid, c.oid, a.attnum, 'update')
          ) end,
          has_table_privilege(r.oid, c.oid, 'delete')
        ) order by c.oid)
      from pg_catalog.pg_class c
      where c.relnamespace = any (array(select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[])))
        and c.relkind in ('r', 'v', 'm', 'f', 'p')
        and has_any_column_privilege(r.oid, c.oid, 'select')
    )
  )::text
from unnest($2::text[]) w (name)
join pg_catalog.pg_roles r on r.rolname = w.name
