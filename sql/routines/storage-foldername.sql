-- All segments of a key but the last. Inlined into policies: a body that is bound at creation needs no search_path of its own.
create or replace function storage.foldername(name text)
returns text[]
language sql
immutable
parallel safe
return case when name <> '' then trim_array(string_to_array(name, '/'), 1) end;
