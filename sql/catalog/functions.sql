/* catalog.functions: plain functions of the search path */
select json_agg(json_build_array(
    p.oid::int8,
    p.pronamespace::int8,
    p.proname,
    p.proargtypes::oid[]::int8[],
    (
      select coalesce(json_agg(coalesce(p.proargnames[i], '') order by i), '[]'::json)
      from generate_series(1, coalesce(cardinality(p.proallargtypes), p.pronargs)) i
      where coalesce(p.proargmodes[i], 'i') in ('i', 'b', 'v')
    ),
    p.pronargdefaults,
    pg_get_expr(p.proargdefaults, 0),
    p.prorettype::int8,
    p.proretset,
    p.prorows,
    p.provolatile,
    p.provariadic <> 0,
    obj_description(p.oid, 'pg_proc'),
    l.lanname = 'sql' and p.provolatile <> 'v' and not p.proisstrict and not p.prosecdef and p.proconfig is null
  ) order by p.oid)
from pg_catalog.pg_proc p
join pg_catalog.pg_language l on l.oid = p.prolang
where p.prokind = 'f'
  and p.pronamespace = any (select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[]))
