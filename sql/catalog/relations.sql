/* catalog.relations: tables, views, materialised views, foreign tables and partitioned tables of the search path, with their columns */
select json_agg(json_build_array(
    c.oid::int8,
    c.relnamespace::int8,
    c.relname,
    c.relkind,
    c.reltype::int8,
    c.relrowsecurity,
    obj_description(c.oid, 'pg_class'),
    columns.list,
    keys.primary_key,
    keys.unique_keys,
    keys.orders
  ) order by c.oid)
from pg_catalog.pg_class c
left join (
  -- for all relations at once: one by one, thousands of tables would take seconds
  select
    a.attrelid as relation,
    json_agg(json_build_array(
      a.attnum,
      a.attname,
      a.atttypid::int8,
      a.atttypmod,
      a.attnotnull,
      a.attgenerated <> '',
      a.attidentity <> '' or serial.number is not null,
      case
        when bn.nspname = 'pg_catalog' then format_type(a.atttypid, a.atttypmod)
        else format('%I.%I', bn.nspname, b.typname)
          || coalesce(substring(format_type(a.atttypid, a.atttypmod) from '\([^)]*\)'), '')
          || case when t.typcategory = 'A' and t.typelem <> 0 then '[]' else '' end
      end,
      comment.description
    ) order by a.attnum) as list
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_class r on r.oid = a.attrelid
  join pg_catalog.pg_type t on t.oid = a.atttypid
  join pg_catalog.pg_type b on b.oid = case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem else t.oid end
  join pg_catalog.pg_namespace bn on bn.oid = b.typnamespace
  left join (
    select distinct d.refobjid as relation, d.refobjsubid as number
    from pg_catalog.pg_depend d
    join pg_catalog.pg_class s on s.oid = d.objid and s.relkind = 'S'
    where d.refclassid = 'pg_catalog.pg_class'::regclass
      and d.classid = 'pg_catalog.pg_class'::regclass
      and d.deptype = 'a'
  ) serial on serial.relation = a.attrelid and serial.number = a.attnum
  left join pg_catalog.pg_description comment
    on comment.objoid = a.attrelid and comment.objsubid = a.attnum and comment.classoid = 'pg_catalog.pg_class'::regclass
  where r.relnamespace = any (select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[]))
    and r.relkind in ('r', 'v', 'm', 'f', 'p')
    and a.attnum > 0
    and not a.attisdropped
  group by a.attrelid
) columns on columns.relation = c.oid
left join (
  select
    i.indrelid as relation,
    (array_agg(to_json((i.indkey::int2[])[0:i.indnkeyatts - 1])) filter (where i.indisprimary))[1] as primary_key,
    json_agg((i.indkey::int2[])[0:i.indnkeyatts - 1]) filter (where i.indisunique and i.indpred is null and i.indexprs is null) as unique_keys,
    json_agg(json_build_array(
      (i.indkey::int2[])[0:i.indnkeyatts - 1],
      i.indoption::int2[],
      case
        when i.indpred is null then 'all rows'
        when pg_get_expr(i.indpred, i.indrelid) = (
          select format('(%I IS NOT NULL)', a.attname)
          from pg_catalog.pg_attribute a
          where a.attrelid = i.indrelid
            and a.attnum = i.indkey[0]
        ) then 'rows with a value'
        else 'some rows'
      end
    )) filter (where x.relam = b_tree.oid and i.indisvalid) as orders
  from pg_catalog.pg_index i
  join pg_catalog.pg_class x on x.oid = i.indexrelid
  join pg_catalog.pg_am b_tree on b_tree.amname = 'btree'
  group by i.indrelid
) keys on keys.relation = c.oid
where c.relnamespace = any (select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[]))
  and c.relkind in ('r', 'v', 'm', 'f', 'p')
