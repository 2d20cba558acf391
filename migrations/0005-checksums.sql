-- What the bytes of an object are compared with when they are read. Beside version, so that the look-up of a read brings it along; null in rows
-- that nobody of us wrote.
alter table storage.objects
  add column if not exists crc32 bigint;

comment on column storage.objects.crc32 is 'checksum of the bytes that version names; written by the service only';
