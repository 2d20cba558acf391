/* catalog.relations: tables, views, materialised views, foreign tables and partitioned tables of the search path, with their columns */
select json_agg(json_build_array(
    c.oid::int8,
    c.relnamespace::int8,
    c.relname,
    c.relkind,
    c.reltype::int8,
    c.relrowsecurity,
    obj_description(c.oid, 'pg_class'),
    (
      select json_agg(json_build_array(
          a.attnum,
          a.attname,
          a.atttypid::int8,
          a.atttypmod,
          a.attnotnull,
          a.attgenerated <> '',
          a.attidentity <> '' or exists (
            select
            from pg_catalog.pg_depend d
            join pg_catalog.pg_class s on s.oid = d.objid and s.relkind = 'S'
            where d.refclassid = 'pg_catalog.pg_class'::regclass
              and d.refobjid = c.oid
              and d.refobjsubid = a.attnum
              and d.classid = 'pg_catalog.pg_class'::regclass
              and d.deptype = 'a'
          ),
          case
            when bn.nspname = 'pg_catalog' then format_type(a.atttypid, a.atttypmod)
            else format('%I.%I', bn.nspname, b.typname)
              || coalesce(substring(format_type(a.atttypid, a.atttypmod) from '\([^)]*\)'), '')
              || case when t.typcategory = 'A' and t.typelem <> 0 then '[]' else '' end
          end,
          col_description(c.oid, a.attnum)
        ) order by a.attnum)
      from pg_catalog.pg_attribute a
      join pg_catalog.pg_type t on t.oid = a.atttypid
      join pg_catalog.pg_type b on b.oid = case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem else t.oid end
      join pg_catalog.pg_namespace bn on bn.oid = b.typnamespace
      where a.attrelid = c.oid
        and a.attnum > 0
        and not a.attisdropped
    ),
    (
      select to_json((i.indkey::int2[])[0:i.indnkeyatts - 1])
      from pg_catalog.pg_index i
      where i.indrelid = c.oid
        and i.indisprimary
    ),
    (
      select json_agg((i.indkey::int2[])[0:i.indnkeyatts - 1])
      from pg_catalog.pg_index i
      where i.indrelid = c.oid
        and i.indisunique
        and i.indpred is null
        and i.indexprs is null
    )
  ) order by c.oid)
from pg_catalog.pg_class c
where c.relnamespace = any (select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[]))
  and c.relkind in ('r', 'v', 'm', 'f', 'p')
