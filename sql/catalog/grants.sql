/* catalog.grants: per role and relation; null: nothing, true: the whole relation, else the numbers of the permitted columns */
select json_agg(json_build_array(
    r.position - 1,
    c.oid::int8,
    case when has_table_privilege(r.name, c.oid, 'select') then to_json(true) else (
      select json_agg(a.attnum)
      from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(r.name, c.oid, a.attnum, 'select')
    ) end,
    case when has_table_privilege(r.name, c.oid, 'insert') then to_json(true) else (
      select json_agg(a.attnum)
      from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(r.name, c.oid, a.attnum, 'insert')
    ) end,
    case when has_table_privilege(r.name, c.oid, 'update') then to_json(true) else (
      select json_agg(a.attnum)
      from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(r.name, c.oid, a.attnum, 'update')
    ) end,
    has_table_privilege(r.name, c.oid, 'delete')
  ))
from pg_catalog.pg_class c
cross join unnest($2::text[]) with ordinality r (name, position)
where c.relnamespace = any (select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[]))
  and c.relkind in ('r', 'v', 'm', 'f', 'p')
  and has_any_column_privilege(r.name, c.oid, 'select')
