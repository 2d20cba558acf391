-- Listing for SQL callers, page by page: names are whole keys, folders without their delimiter. A page goes on behind the last name of the
-- one before. Where an object and a folder have that name, the folder is meant, so that pages come to an end; storage.list_level tells them
-- apart. All run as their caller, whose row security decides what there is.

create or replace function storage.after_key(bucket text, last_name text, delimiter text)
returns text
language sql
stable
as $$
  select case
    when coalesce(last_name, '') = '' then null
    when delimiter <> '' and exists (
      select
        from storage.objects o
       where o.bucket_id = bucket
         and o.name collate "C" >= last_name || delimiter
         and o.name collate "C" < storage.prefix_end(last_name || delimiter)
    ) then last_name || delimiter
    else last_name
  end
$$;

create or replace function storage.list_objects_with_delimiter(
  _bucket_id text,
  prefix_param text,
  delimiter_param text,
  max_keys integer default 100,
  start_after text default '',
  next_token text default '',
  sort_order text default 'asc'
)
returns table (
  name text,
  id uuid,
  metadata jsonb,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz
)
language sql
stable
as $$
  select case when e.is_folder then left(e.name, -length(delimiter_param)) else e.name end,
         e.id,
         e.metadata,
         e.updated_at,
         e.created_at,
         e.last_accessed_at
    from storage.list_level(
           _bucket_id,
           coalesce(prefix_param, ''),
           coalesce(delimiter_param, ''),
           greatest(coalesce(max_keys, 100), 0),
           storage.after_key(_bucket_id, coalesce(nullif(next_token, ''), start_after), delimiter_param),
           lower(sort_order) is not distinct from 'desc'
         ) as e
$$;

create or replace function storage.search_by_timestamp(
  p_prefix text,
  p_bucket_id text,
  p_limit integer,
  p_level integer,
  p_start_after text,
  p_sort_order text,
  p_sort_column text,
  p_sort_column_after text
)
returns table (
  key text,
  name text,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb
)
language sql
stable
as $$
  select split_part(e.name, '/', greatest(p_level, 1)),
         case when e.is_folder then left(e.name, -1) else e.name end,
         e.id,
         e.updated_at,
         e.created_at,
         e.last_accessed_at,
         e.metadata
    from storage.list_by_time(
           p_bucket_id,
           coalesce(p_prefix, ''),
           '/',
           p_sort_column,
           p_limit,
           -- behind a row without a time
           coalesce(nullif(p_sort_column_after, '')::timestamptz, case when p_start_after <> '' then '-infinity'::timestamptz end),
           storage.after_key(p_bucket_id, p_start_after, '/'),
           lower(p_sort_order) is not distinct from 'desc'
         ) as e
$$;

create or replace function storage.search_v2(
  prefix text,
  bucket_name text,
  limits integer default 100,
  levels integer default 1,
  start_after text default '',
  sort_order text default 'asc',
  sort_column text default 'name',
  sort_column_after text default ''
)
returns table (
  key text,
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
  most constant integer := greatest(least(coalesce(limits, 100), 1500), 0);
begin
  if lower(sort_column) in ('created_at', 'updated_at') then
    return query
      select t.key, t.name, t.id, t.updated_at, t.created_at, t.last_accessed_at, t.metadata
        from storage.search_by_timestamp(prefix, bucket_name, most, levels, start_after, sort_order, lower(sort_column), sort_column_after) as t;
  else
    return query
      select split_part(e.name, '/', greatest(levels, 1)), e.name, e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata
        from storage.list_objects_with_delimiter(bucket_name, prefix, '/', most, start_after, '', sort_order) as e;
  end if;
end
$$;
