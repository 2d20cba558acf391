-- How many bytes an object has. Beside version, as its checksum is, since metadata is also written by others: triggers and statements of the owner's. Null in
-- rows that nobody of us wrote, and in those from before: there metadata says it.
alter table storage.objects
  add column if not exists byte_length bigint;

comment on column storage.objects.byte_length is 'length of the bytes that version names; written by the service only';

-- Who changes an object's version and says nothing of its length (a statement of the owner's, or a process of the version before, during an upgrade) does not
-- leave it the old one: metadata says it then. A new one that happens to be equal is forgotten with it, which is no loss.
create or replace function stowage.forget_length()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.byte_length := null;
  return new;
end
$$;

create or replace trigger stowage_forget_length
  before update on storage.objects
  for each row
  when (old.version is distinct from new.version and old.byte_length = new.byte_length)
  execute function stowage.forget_length();
