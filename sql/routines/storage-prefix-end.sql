-- The least text, in byte order, that is greater than every text beginning with the prefix.
create or replace function storage.prefix_end(prefix text)
returns text
language plpgsql
stable
parallel safe
as $$
declare
  greatest_code constant integer := case when getdatabaseencoding() = 'UTF8' then 1114111 else 255 end;
  kept text := coalesce(prefix, '');
  code integer;
begin
  while kept <> '' loop
    code := ascii(right(kept, 1));
    if code < greatest_code then
      -- the code points between are surrogates, which are no characters
      return left(kept, -1) || chr(case when code = 55295 then 57344 else code + 1 end);
    end if;
    kept := left(kept, -1);
  end loop;
  return repeat(chr(greatest_code), 16);
end
$$;
