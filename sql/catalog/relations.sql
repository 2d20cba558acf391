/* catalog.relations: tables, views, materialised views, foreign tables and partitioned tables of the search path, with their columns */
with views as materialized (
  -- those that GraphQL can show; of all others the server's own are the largest
  select c.oid as view, r.ev_action::text as query
  from pg_catalog.pg_class c
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
  where c.relkind = 'v'
    and c.relnamespace = any (select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[]))
    and obj_description(c.oid, 'pg_class') like '%primary_key_columns%'
), view_columns as materialized (
  -- Which tables' columns a view shows, for what their indexes are ordered by: of its query, as PostgreSQL keeps it, the last mention is the outermost.
  -- Where it cannot be read, or is read wrong, pages take longer, and are right.
  select distinct on (v.view, a.attnum) v.view, a.attnum as number, m[3]::oid as relation, m[4]::int2 as shows
  from views v
  cross join lateral regexp_matches(
    v.query,
    ':resno (\d+) :resname (\S+) :ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+) :resjunk false',
    'g'
  ) with ordinality as mention (m, place)
  join pg_catalog.pg_attribute a on a.attrelid = v.view and a.attnum = m[1]::int2 and a.attname = m[2]
  where v.query ~ '^\(\{QUERY [^{(]*:hasAggs false :hasWindowFuncs false [^{(]*:hasDistinctOn false'
  order by v.view, a.attnum, mention.place desc
), trees as (
  -- what B-trees are ordered by, of tables in their columns and of views in theirs
  select
    i.indrelid as relation,
    (i.indkey::int2[])[0:i.indnkeyatts - 1] as columns,
    i.indoption::int2[] as options,
    case
      when i.indpred is null then 'all rows'
      when pg_get_expr(i.indpred, i.indrelid) = (
        select format('(%I IS NOT NULL)', a.attname)
        from pg_catalog.pg_attribute a
        where a.attrelid = i.indrelid
          and a.attnum = i.indkey[0]
      ) then 'rows with a value'
      else 'some rows'
    end as covers
  from pg_catalog.pg_index i
  join pg_catalog.pg_class x on x.oid = i.indexrelid
  join pg_catalog.pg_am m on m.oid = x.relam
  where m.amname = 'btree'
    and i.indisvalid
)
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
    orders.list
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
    json_agg(i.indkey::int2[])
      filter (where i.indisunique and i.indnkeyatts = i.indnatts and i.indpred is null and i.indexprs is null) as unique_keys
  from pg_catalog.pg_index i
  group by i.indrelid
) keys on keys.relation = c.oid
left join (
  select t.relation, json_agg(json_build_array(t.columns, t.options, t.covers)) as list
  from (
    select * from trees
    union all
    select
      v.view,
      array(
        select coalesce((select min(s.number) from view_columns s where s.view = v.view and s.relation = v.relation and s.shows = k.number), 0)
        from unnest(t.columns) with ordinality as k (number, place)
        order by k.place
      ),
      t.options,
      t.covers
    from (select distinct view, relation from view_columns where relation <> 0) v
    join trees t on t.relation = v.relation
  ) t
  group by t.relation
) orders on orders.relation = c.oid
where c.relnamespace = any (select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[]))
  and c.relkind in ('r', 'v', 'm', 'f', 'p')
