/* catalog.schemas: the search path's schemas in its order; $1 schema names, $2 role names */
select json_agg(json_build_array(
    n.oid::int8,
    n.nspname,
    obj_description(n.oid, 'pg_namespace'),
    (select json_agg(has_schema_privilege(r.name, n.oid, 'usage') order by r.position) from unnest($2::text[]) with ordinality r (name, position))
  ) order by s.position)
from unnest($1::text[]) with ordinality s (name, position)
join pg_catalog.pg_namespace n on n.nspname = s.name
