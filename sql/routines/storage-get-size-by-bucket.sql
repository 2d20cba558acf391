-- Bytes per bucket, of the objects that the caller sees. Rows put in by hand may carry any metadata.
create or replace function storage.get_size_by_bucket()
returns table (size bigint, bucket_id text)
language sql
stable
begin atomic
  select coalesce(sum((o.metadata ->> 'size')::numeric) filter (where jsonb_typeof(o.metadata -> 'size') = 'number'), 0)::bigint as size,
         o.bucket_id
    from storage.objects o
   group by o.bucket_id;
end;
