-- The key up to and including the first delimiter behind the prefix; null when there is none. Goes by the prefix's length only.
create or replace function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text)
returns text
language sql
immutable
parallel safe
return case
  when strpos(substr(p_key, length(p_prefix) + 1), p_delimiter) > 0
  then left(p_key, length(p_prefix) + strpos(substr(p_key, length(p_prefix) + 1), p_delimiter) + length(p_delimiter) - 1)
end;
