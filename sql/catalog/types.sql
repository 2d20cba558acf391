/* catalog.types: every type that a column or function of the search path uses, what it is made of, and the search path's enums */
with recursive spaces as (
  select n.oid
  from pg_catalog.pg_namespace n
  where n.nspname = any ($1::text[])
), used (oid) as (
  select a.atttypid
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid
  where c.relnamespace in (select s.oid from spaces s)
    and c.relkind in ('r', 'v', 'm', 'f', 'p')
    and a.attnum > 0
    and not a.attisdropped
  union
  select c.reltype
  from pg_catalog.pg_class c
  where c.relnamespace in (select s.oid from spaces s)
    and c.relkind in ('r', 'v', 'm', 'f', 'p')
  union
  select unnest(p.prorettype || p.proargtypes::oid[])
  from pg_catalog.pg_proc p
  where p.pronamespace in (select s.oid from spaces s)
  union
  select t.oid
  from pg_catalog.pg_type t
  where t.typnamespace in (select s.oid from spaces s)
    and t.typtype = 'e'
), closed (oid) as (
  select u.oid
  from used u
  union
  select m.oid
  from closed c
  join pg_catalog.pg_type t on t.oid = c.oid
  cross join lateral (values (case when t.typcategory = 'A' then t.typelem else 0 end), (t.typbasetype)) m (oid)
  where m.oid <> 0
)
select json_agg(json_build_array(
    t.oid::int8,
    n.nspname,
    t.typname,
    t.typtype,
    case when t.typcategory = 'A' then t.typelem::int8 else 0 end,
    t.typbasetype::int8,
    t.typrelid::int8,
    case when t.typtype = 'e' then (select json_agg(e.enumlabel order by e.enumsortorder) from pg_catalog.pg_enum e where e.enumtypid = t.oid) end,
    case when t.typtype = 'e' then obj_description(t.oid, 'pg_type') end,
    case when n.nspname = 'pg_catalog' then format_type(t.oid, -1) else format('%I.%I', bn.nspname, b.typname) || case when b.oid <> t.oid then '[]' else '' end end,
    t.typdelim
  ))
from closed
join pg_catalog.pg_type t on t.oid = closed.oid
join pg_catalog.pg_namespace n on n.oid = t.typnamespace
join pg_catalog.pg_type b on b.oid = case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem else t.oid end
join pg_catalog.pg_namespace bn on bn.oid = b.typnamespace
