-- The request's operation, for policies: storage.operation() names it, the others compare it, a leading "storage." aside.
create or replace function storage.operation()
returns text
language sql
stable
parallel safe
return nullif(current_setting('storage.operation', true), '');

create or replace function storage.allow_only_operation(expected_operation text)
returns boolean
language sql
stable
parallel safe
return coalesce(
  nullif(regexp_replace(expected_operation, '^storage\.', ''), '') = regexp_replace(storage.operation(), '^storage\.', ''),
  false
);

create or replace function storage.allow_any_operation(expected_operations text[])
returns boolean
language sql
stable
parallel safe
return exists (
  select from unnest(expected_operations) as expected (operation)
   where storage.allow_only_operation(expected.operation)
);
