-- Objects below a prefix by created_at or updated_at, then by name; with a delimiter one level of them, where a folder has the time of the
-- oldest object in it. Times count in whole milliseconds, as clients have them who go on behind one they were given. Goes on strictly behind
-- (after_time, after_name), which are sort_time and name of an earlier row.
-- There is no index on times: the cost is that of everything below the prefix.
-- Runs as its caller, whose row security decides what there is, and with the caller's search_path, which functions of policies count on.
create or replace function storage.list_by_time(
  bucket text,
  prefix text,
  delimiter text,
  sort_by text,
  max_entries integer,
  after_time timestamptz default null,
  after_name text default null,
  descending boolean default false
)
returns table (
  name text,
  is_folder boolean,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb,
  sort_time timestamptz
)
language plpgsql
stable
as $$
declare
  behind constant integer := length(prefix) + 1;
  range_end constant text := storage.prefix_end(prefix);
  behind_time constant timestamptz := date_trunc('milliseconds', after_time);
begin
  return query
    with stored as (
      select o.name,
             o.id,
             o.updated_at,
             o.created_at,
             o.last_accessed_at,
             o.metadata,
             case when delimiter = '' then 0 else strpos(substr(o.name, behind), delimiter) end as at
        from storage.objects o
       where o.bucket_id = bucket
         and o.name collate "C" >= prefix
         and o.name collate "C" < range_end
    ), entry as (
      select s.name collate "C" as name, false as is_folder, s.id, s.updated_at, s.created_at, s.last_accessed_at, s.metadata
        from stored s
       where s.at = 0
      union all
      select left(s.name, behind - 2 + s.at + length(delimiter)) collate "C", true, null, min(s.created_at), min(s.created_at), null, null
        from stored s
       where s.at > 0
       group by 1
    ), timed as (
      select e.*,
             coalesce(date_trunc('milliseconds', case sort_by when 'updated_at' then e.updated_at else e.created_at end), '-infinity') as sort_time
        from entry e
    )
    select t.name, t.is_folder, t.id, t.updated_at, t.created_at, t.last_accessed_at, t.metadata, t.sort_time
      from timed t
     where behind_time is null
        or case when descending then (t.sort_time, t.name) < (behind_time, after_name) else (t.sort_time, t.name) > (behind_time, after_name) end
     order by case when not descending then t.sort_time end,
              case when not descending then t.name end,
              t.sort_time desc,
              t.name desc
     limit max_entries;
end
$$;
