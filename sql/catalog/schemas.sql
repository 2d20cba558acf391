/* catalog.schemas: the search path's schemas in its order; $1 schema names */
select json_agg(json_build_array(
    n.oid::int8,
    n.nspname,
    obj_description(n.oid, 'pg_namespace')
  ) order by s.position)
from unnest($1::text[]) with ordinality s (name, position)
join pg_catalog.pg_namespace n on n.nspname = s.name
