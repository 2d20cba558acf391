-- One level of a bucket as storage.search shows it: in byte order of the lower-case key, the case of ASCII letters ignored in the prefix,
-- folders that differ in case only as one, spelt like the first met. Entries are counted off before any comes back: whole batches of
-- objects at once, folders by jumping over them. Walks the index (bucket_id, name_folded, name).
-- Runs as its caller, whose row security decides what there is, and with the caller's search_path, which functions of policies count on.
create or replace function storage.list_level_folded(
  bucket text,
  prefix text,
  max_entries integer,
  skip_entries integer default 0,
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
  patience constant integer := 3;
  folded_prefix constant text := lower(prefix collate "C");
  behind constant integer := length(prefix) + 1;
  range_end constant text := storage.prefix_end(folded_prefix);
  -- one slash more than the prefix has: all keys below it begin with it
  nested constant text := repeat('%/', length(prefix) - length(replace(prefix, '/', '')) + 1) || '%';
  -- where to look next, as (name_folded, name): ascending the least, descending the one below which
  seek_folded text := case when descending then range_end else folded_prefix end;
  seek_name text := '';
  to_skip integer := skip_entries;
  rows refcursor;
  entry record;
  fetched integer;
  folder text;
  passed integer := 0;
  at integer;
  emitted integer := 0;
  run_length integer;
  run_end text;
  run_nested boolean;
begin
  while emitted < max_entries loop
    -- a batch without folders is skipped by counting; its last spelling stays, since the batch may end between two of a kind
    if to_skip >= 1000 and folder is null then
      if descending then
        select count(*), min(o.name_folded), bool_or(o.name_folded like nested)
          into run_length, run_end, run_nested
          from (
            select i.name_folded
              from storage.objects i
             where i.bucket_id = bucket
               and i.name_folded >= folded_prefix
               and (i.name_folded, i.name collate "C") < (seek_folded, seek_name collate "C")
             order by i.name_folded desc, i.name collate "C" desc
             limit 1000
          ) as o;
      else
        select count(*), max(o.name_folded), bool_or(o.name_folded like nested)
          into run_length, run_end, run_nested
          from (
            select i.name_folded
              from storage.objects i
             where i.bucket_id = bucket
               and (i.name_folded, i.name collate "C") >= (seek_folded, seek_name collate "C")
               and i.name_folded < range_end
             order by i.name_folded, i.name collate "C"
             limit 1000
          ) as o;
      end if;
      if run_length = 1000 and not run_nested then
        perform
           from storage.objects i
          where i.bucket_id = bucket
            and i.name_folded = run_end
         offset 1;
        if not found then
          run_length := 999;
        elsif descending then
          select count(*)
            into run_length
            from storage.objects i
           where i.bucket_id = bucket
             and i.name_folded > run_end
             and (i.name_folded, i.name collate "C") < (seek_folded, seek_name collate "C");
        else
          select count(*)
            into run_length
            from storage.objects i
           where i.bucket_id = bucket
             and (i.name_folded, i.name collate "C") >= (seek_folded, seek_name collate "C")
             and i.name_folded < run_end;
        end if;
        if run_length > 0 then
          to_skip := to_skip - run_length;
          seek_folded := case when descending then run_end || chr(1) else run_end end;
          seek_name := '';
          continue;
        end if;
      end if;
    end if;

    if descending then
      open rows no scroll for
        select o.name, o.name_folded, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
          from storage.objects o
         where o.bucket_id = bucket
           and o.name_folded >= folded_prefix
           and (o.name_folded, o.name collate "C") < (seek_folded, seek_name collate "C")
         order by o.name_folded desc, o.name collate "C" desc
         limit 100;
    else
      open rows no scroll for
        select o.name, o.name_folded, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
          from storage.objects o
         where o.bucket_id = bucket
           and (o.name_folded, o.name collate "C") >= (seek_folded, seek_name collate "C")
           and o.name_folded < range_end
         order by o.name_folded, o.name collate "C"
         limit 100;
    end if;

    fetched := 0;
    while fetched < 100 loop
      fetch rows into entry;
      exit when not found;
      fetched := fetched + 1;
      if starts_with(entry.name_folded, folder) then
        passed := passed + 1;
        exit when passed = patience;
        continue;
      end if;

      at := strpos(substr(entry.name_folded, behind), '/');
      folder := case when at > 0 then left(entry.name_folded, behind - 1 + at) end;
      passed := 0;
      if to_skip > 0 then
        to_skip := to_skip - 1;
        continue;
      end if;
      is_folder := at > 0;
      if is_folder then
        name := left(entry.name, behind - 1 + at);
        id := null;
        updated_at := null;
        created_at := null;
        last_accessed_at := null;
        metadata := null;
      else
        name := entry.name;
        id := entry.id;
        updated_at := entry.updated_at;
        created_at := entry.created_at;
        last_accessed_at := entry.last_accessed_at;
        metadata := entry.metadata;
      end if;
      return next;
      emitted := emitted + 1;
      exit when emitted = max_entries;
    end loop;
    close rows;

    if passed = patience then
      seek_folded := case when descending then folder else storage.prefix_end(folder) end;
      seek_name := '';
      passed := 0;
      folder := null;
    elsif fetched < 100 then
      exit;
    else
      seek_folded := entry.name_folded;
      seek_name := case when descending then entry.name else entry.name || chr(1) end;
    end if;
  end loop;
end
$$;
