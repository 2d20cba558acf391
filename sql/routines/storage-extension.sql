-- What follows the last dot of the last segment; the whole segment when it has no dot.
create or replace function storage.extension(name text)
returns text
language sql
immutable
parallel safe
return case when name <> '' then split_part(split_part(name, '/', -1), '.', -1) end;
