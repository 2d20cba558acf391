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
  -- objects in a row that are looked up one by one, before the next hundred are read at once
  patience constant integer := 4;
  folded_prefix constant text := lower(prefix collate "C");
  behind constant integer := length(prefix) + 1;
  range_end constant text := storage.prefix_end(folded_prefix);
  -- one slash more than the prefix has: all keys below it begin with it
  nested constant text := repeat('%/', length(prefix) - length(replace(prefix, '/', '')) + 1) || '%';
  -- where to look next, as (name_folded, name): ascending the least, descending the one below which
  seek_folded text := case when descending then range_end else folded_prefix end;
  seek_name text := '';
  to_skip integer := skip_entries;
  -- objects in a row behind the last folder, as far as it matters
  run integer := case when skip_entries < 1000 then 0 else 100 end;
  emitted integer := 0;
  fetched integer;
  run_length integer;
  run_end text;
  run_nested boolean;
begin
  while emitted < max_entries loop
    -- a batch without folders is skipped by counting; its last spelling stays, since the batch may end between two of a kind
    if to_skip >= 1000 and run >= 100 then
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
      run := patience;
    end if;


    -- a look-up an entry: what is in a folder is passed by, however much it is
    if run < patience then
      for name, is_folder, id, updated_at, created_at, last_accessed_at, metadata, seek_folded, seek_name, run in
        with recursive walk as (
          select null::text collate "C" as name,
                 0 as slash,
                 null::uuid as id,
                 null::timestamptz as updated_at,
                 null::timestamptz as created_at,
                 null::timestamptz as last_accessed_at,
                 null::jsonb as metadata,
                 seek_folded collate "C" as next_folded,
                 seek_name collate "C" as next_name,
                 run as objects
          union all
          select n.name,
                 n.slash,
                 n.id,
                 n.updated_at,
                 n.created_at,
                 n.last_accessed_at,
                 n.metadata,
                 case
                   when n.slash = 0 then n.name_folded
                   when descending then left(n.name_folded, behind - 1 + n.slash)
                   -- the character behind the slash
                   else left(n.name_folded, behind - 2 + n.slash) || '0'
                 end,
                 case
                   when n.slash > 0 then ''
                   when descending then n.name
                   -- no text lies between a text and itself followed by U+0001
                   else n.name || chr(1)
                 end,
                 case when n.slash = 0 then w.objects + 1 else 0 end
            from walk w
            cross join lateral (
              (select o.name, o.name_folded, strpos(substr(o.name_folded, behind), '/') as slash,
                      o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
                from storage.objects o
               where not descending
                 and o.bucket_id = bucket
                 and (o.name_folded, o.name collate "C") >= (w.next_folded, w.next_name)
                 and o.name_folded < range_end
               order by o.name_folded, o.name collate "C"
               limit 1)
              union all
              (select o.name, o.name_folded, strpos(substr(o.name_folded, behind), '/') as slash,
                      o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
                from storage.objects o
               where descending
                 and o.bucket_id = bucket
                 and o.name_folded >= folded_prefix
                 and (o.name_folded, o.name collate "C") < (w.next_folded, w.next_name)
               order by o.name_folded desc, o.name collate "C" desc
               limit 1)
            ) n
           where w.objects < patience
        )
        select case when w.slash > 0 then left(w.name, behind - 1 + w.slash) else w.name end,
               w.slash > 0,
               case when w.slash = 0 then w.id end,
               case when w.slash = 0 then w.updated_at end,
               case when w.slash = 0 then w.created_at end,
               case when w.slash = 0 then w.last_accessed_at end,
               case when w.slash = 0 then w.metadata end,
               w.next_folded,
               w.next_name,
               w.objects
          from walk w
        offset 1
         limit to_skip::bigint + max_entries - emitted
      loop
        if to_skip > 0 then
          to_skip := to_skip - 1;
        else
          return next;
          emitted := emitted + 1;
        end if;
      end loop;
      exit when run < patience;
      continue;
    end if;

    fetched := 0;
    for name, is_folder, id, updated_at, created_at, last_accessed_at, metadata, seek_folded, seek_name in
      (select o.name, strpos(substr(o.name_folded, behind), '/') > 0, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata,
              o.name_folded,
              case when strpos(substr(o.name_folded, behind), '/') > 0 then o.name else o.name || chr(1) end
         from storage.objects o
        where not descending
          and o.bucket_id = bucket
          and (o.name_folded, o.name collate "C") >= (seek_folded, seek_name collate "C")
          and o.name_folded < range_end
        order by o.name_folded, o.name collate "C"
        limit 100)
      union all
      (select o.name, strpos(substr(o.name_folded, behind), '/') > 0, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata,
              o.name_folded,
              case when strpos(substr(o.name_folded, behind), '/') > 0 then o.name || chr(1) else o.name end
         from storage.objects o
        where descending
          and o.bucket_id = bucket
          and o.name_folded >= folded_prefix
          and (o.name_folded, o.name collate "C") < (seek_folded, seek_name collate "C")
        order by o.name_folded desc, o.name collate "C" desc
        limit 100)
    loop
      fetched := fetched + 1;
      exit when is_folder;
      if to_skip > 0 then
        to_skip := to_skip - 1;
      else
        return next;
        emitted := emitted + 1;
        exit when emitted = max_entries;
      end if;
    end loop;
    if is_folder then
      run := 0;
    elsif fetched < 100 then
      exit;
    else
      run := 100;
    end if;
  end loop;
end
$$;
