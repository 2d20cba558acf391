-- One level of a bucket as storage.search shows it sorted by a time: first the folders by name, each spelling by itself, then the objects by
-- that time; names relative to the prefix. There is no index on times: the cost is that of everything below the prefix.
-- Runs as its caller, whose row security decides what there is, and with the caller's search_path, which functions of policies count on.
create or replace function storage.list_level_by_time(
  bucket text,
  prefix text,
  search text,
  sort_by text,
  max_entries integer,
  skip_entries integer,
  descending boolean
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
  folded_prefix constant text := lower((prefix || search) collate "C");
  range_end constant text := storage.prefix_end(folded_prefix);
  relative constant integer := length(prefix) + 1;
  behind constant integer := length(prefix || search) + 1;
  folders text[];
  first_object integer;
begin
  select array_agg(level.folder order by level.folder)
    into folders
    from (
      select distinct substr(rtrim(left(o.name, behind - 1 + strpos(substr(o.name, behind), '/')), '/'), relative) collate "C" as folder
        from storage.objects o
       where o.bucket_id = bucket
         and o.name_folded >= folded_prefix
         and o.name_folded < range_end
         and strpos(substr(o.name, behind), '/') > 0
    ) as level;

  return query
    select f.folder, null::uuid, null::timestamptz, null::timestamptz, null::timestamptz, null::jsonb
      from unnest(folders) with ordinality as f (folder, place)
     order by case when descending then -f.place else f.place end
    offset skip_entries
     limit max_entries;

  first_object := greatest(skip_entries - coalesce(cardinality(folders), 0), 0);
  return query
    select substr(o.name, relative), o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
      from storage.objects o
     where o.bucket_id = bucket
       and o.name_folded >= folded_prefix
       and o.name_folded < range_end
       and strpos(substr(o.name, behind), '/') = 0
     order by case
                when descending then null
                else case sort_by when 'created_at' then o.created_at when 'updated_at' then o.updated_at else o.last_accessed_at end
              end,
              case
                when descending
                then case sort_by when 'created_at' then o.created_at when 'updated_at' then o.updated_at else o.last_accessed_at end
              end desc,
              case when not descending then o.name collate "C" end,
              o.name collate "C" desc
    offset first_object
     limit greatest(max_entries - least(greatest(coalesce(cardinality(folders), 0) - skip_entries, 0), max_entries), 0);
end
$$;
