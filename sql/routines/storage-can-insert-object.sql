-- Asks row security whether the caller may insert, and leaves no trace: PT200 is PostgREST's way to answer 200 and roll back.
-- It has no search_path of its own: functions that policies call count on the caller's.
create or replace function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb)
returns void
language plpgsql
as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata)
  values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using
    message = 'ROLLBACK',
    detail = 'rollback successful insert';
end
$$;
