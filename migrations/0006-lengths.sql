-- How many bytes an object has. Beside version, as its checksum is, since metadata is also written by others: triggers and statements of the owner's. Null in
-- rows that nobody of us wrote, and in those from before: there metadata says it.
alter table storage.objects
  add column if not exists byte_length bigint;

comment on column storage.objects.byte_length is 'length of the bytes that version names; written by the service only';
