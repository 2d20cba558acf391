-- The last segment of a key.
create or replace function storage.filename(name text)
returns text
language sql
immutable
parallel safe
return case when name <> '' then split_part(name, '/', -1) end;
