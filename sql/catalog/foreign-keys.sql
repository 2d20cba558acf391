/* catalog.foreign_keys: in order of creation */
select json_agg(json_build_array(
    k.conrelid::int8,
    k.conkey,
    k.confrelid::int8,
    k.confkey,
    obj_description(k.oid, 'pg_constraint'),
    k.conname
  ) order by k.oid)
from pg_catalog.pg_constraint k
where k.contype = 'f'
  -- a key to a partitioned table has a twin per partition on the same relation; a partition's own copy stays
  and not exists (select from pg_catalog.pg_constraint parent where parent.oid = k.conparentid and parent.conrelid = k.conrelid)
  and k.connamespace = any (select n.oid from pg_catalog.pg_namespace n where n.nspname = any ($1::text[]))
