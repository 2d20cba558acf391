-- What POST /object/list answers, and what users' own functions call: names relative to the prefix, folders and objects of one level.
-- Sorted by name they mingle; by a time the folders come first. levels is not looked at any more.
-- Runs as its caller, whose row security decides what there is.
create or replace function storage.search(
  prefix text,
  bucketname text,
  limits integer default 100,
  levels integer default 1,
  offsets integer default 0,
  search text default '',
  sortcolumn text default 'name',
  sortorder text default 'asc'
)
returns table (
  name text,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql
stable
as $$
declare
  base constant text := coalesce(prefix, '');
  relative constant integer := length(base) + 1;
  most constant integer := greatest(least(coalesce(limits, 100), 1500), 0);
  skipped constant integer := greatest(coalesce(offsets, 0), 0);
  descending constant boolean := lower(sortorder) is not distinct from 'desc';
  sort_by constant text := lower(sortcolumn);
begin
  if sort_by in ('updated_at', 'created_at', 'last_accessed_at') then
    return query
      select t.name, t.id, t.updated_at, t.created_at, t.last_accessed_at, t.metadata
        from storage.list_level_by_time(bucketname, base, coalesce(search, ''), sort_by, most, skipped, descending) as t;
  else
    return query
      select substr(case when e.is_folder then rtrim(e.name, '/') else e.name end, relative),
             e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata
        from storage.list_level_folded(bucketname, base || coalesce(search, ''), most, skipped, descending) as e;
  end if;
end
$$;
