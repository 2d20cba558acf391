-- One level of a bucket in byte order: the objects whose key has no delimiter behind the prefix and, for those that have one, their common
-- prefix once (a folder: with its delimiter, all else null). An empty delimiter lists everything. Goes on strictly behind after_key, which
-- is a name as an earlier call gave it. Walks an index in byte order and jumps over folders, so the cost is that of what comes back.
-- Runs as its caller, whose row security decides what there is, and with the caller's search_path, which functions of policies count on.
create or replace function storage.list_level(
  bucket text,
  prefix text,
  delimiter text,
  max_entries integer,
  after_key text default null,
  descending boolean default false
)
returns table (
  name text,
  is_folder boolean,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql
stable
set plan_cache_mode = force_generic_plan
set enable_bitmapscan = off
as $$
declare
  -- rows of a folder to pass by before jumping behind it: a jump costs as much as ten or so
  patience constant integer := 3;
  behind constant integer := length(prefix) + 1;
  range_end constant text := storage.prefix_end(prefix);
  -- where to look next: ascending the least key, descending the key below which
  seek text;
  rows refcursor;
  entry record;
  fetched integer;
  folder text;
  passed integer := 0;
  at integer;
  emitted integer := 0;
begin
  if descending then
    seek := least(after_key collate "C", range_end);
  elsif after_key is null then
    seek := prefix;
  elsif delimiter <> '' and length(after_key) > length(prefix) and right(after_key, length(delimiter)) = delimiter then
    seek := greatest(storage.prefix_end(after_key) collate "C", prefix);
  else
    -- no text lies between a text and itself followed by U+0001
    seek := greatest((after_key || chr(1)) collate "C", prefix);
  end if;

  while emitted < max_entries loop
    if descending then
      open rows no scroll for
        select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
          from storage.objects o
         where o.bucket_id = bucket
           and o.name collate "C" >= prefix
           and o.name collate "C" < seek
         order by o.name collate "C" desc
         limit 100;
    else
      open rows no scroll for
        select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
          from storage.objects o
         where o.bucket_id = bucket
           and o.name collate "C" >= seek
           and o.name collate "C" < range_end
         order by o.name collate "C"
         limit 100;
    end if;

    fetched := 0;
    while fetched < 100 loop
      fetch rows into entry;
      exit when not found;
      fetched := fetched + 1;
      if starts_with(entry.name, folder) then
        passed := passed + 1;
        exit when passed = patience;
        continue;
      end if;

      at := case when delimiter = '' then 0 else strpos(substr(entry.name, behind), delimiter) end;
      if at = 0 then
        folder := null;
        name := entry.name;
        is_folder := false;
        id := entry.id;
        updated_at := entry.updated_at;
        created_at := entry.created_at;
        last_accessed_at := entry.last_accessed_at;
        metadata := entry.metadata;
      else
        folder := left(entry.name, behind - 1 + at - 1 + length(delimiter));
        passed := 0;
        name := folder;
        is_folder := true;
        id := null;
        updated_at := null;
        created_at := null;
        last_accessed_at := null;
        metadata := null;
      end if;
      return next;
      emitted := emitted + 1;
      exit when emitted = max_entries;
    end loop;
    close rows;

    if passed = patience then
      seek := case when descending then folder else storage.prefix_end(folder) end;
      passed := 0;
    elsif fetched < 100 then
      exit;
    else
      seek := case when descending then entry.name else entry.name || chr(1) end;
    end if;
  end loop;
end
$$;
