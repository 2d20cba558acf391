-- Roles, our schema, and the helpers that policies written for Supabase call. Whatever is there already stays as it is.
-- Roles belong to the whole server, and another database may be migrated at this moment: "made meanwhile" counts as made.

do $$
declare
  wanted record;
begin
  for wanted in
    select *
      from (values
        ('anon', 'nologin noinherit'),
        ('authenticated', 'nologin noinherit'),
        ('service_role', 'nologin noinherit bypassrls'),
        ('stowage_web', 'login noinherit'),
        ('stowage_service', 'login noinherit')
      ) as roles (name, attributes)
     where not exists (select from pg_catalog.pg_roles r where r.rolname = roles.name)
  loop
    begin
      execute format('create role %I %s', wanted.name, wanted.attributes);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;

  -- the web login can become nobody but these two: a request for authenticated that tries service_role is refused by PostgreSQL
  for wanted in
    select *
      from (values
        ('anon', 'stowage_web'),
        ('authenticated', 'stowage_web'),
        ('service_role', 'stowage_service')
      ) as memberships (name, member)
     where not exists (
       select
         from pg_catalog.pg_auth_members m
        where m.roleid = memberships.name::regrole
          and m.member = memberships.member::regrole
     )
  loop
    begin
      execute format('grant %I to %I', wanted.name, wanted.member);
    exception when unique_violation then
      null;
    end;
  end loop;

  -- to hand schemas and tables to the service login, a login that is no superuser must be a member of it
  if not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user)
     and not exists (
       select
         from pg_catalog.pg_auth_members m
        where m.roleid = 'stowage_service'::regrole
          and m.member = current_user::regrole
          and coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)
     )
  then
    execute format('grant stowage_service to %I', current_user);
  end if;

  for wanted in
    select r.rolname as name
      from pg_catalog.pg_roles r
     where r.rolname in ('stowage_web', 'stowage_service')
       and not has_database_privilege(r.oid, current_database(), 'connect')
  loop
    execute format('grant connect on database %I to %I', current_database(), wanted.name);
  end loop;
end $$;

create schema if not exists auth;

do $$
declare
  wanted record;
begin
  for wanted in
    select r.rolname as name
      from pg_catalog.pg_roles r
     where r.rolname in ('anon', 'authenticated', 'service_role', 'stowage_service')
       and not has_schema_privilege(r.oid, 'auth', 'usage')
  loop
    execute format('grant usage on schema auth to %I', wanted.name);
  end loop;

  -- a setting that was local to an earlier transaction reads as '' and not as null
  if to_regprocedure('auth.jwt()') is null then
    create function auth.jwt()
    returns jsonb
    language sql
    stable
    as $jwt$
      select coalesce(
        nullif(current_setting('request.jwt.claim', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')
      )::jsonb
    $jwt$;
  end if;

  if to_regprocedure('auth.uid()') is null then
    create function auth.uid()
    returns uuid
    language sql
    stable
    as $uid$
      select coalesce(
        nullif(current_setting('request.jwt.claim.sub', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
      )::uuid
    $uid$;
  end if;

  if to_regprocedure('auth.role()') is null then
    create function auth.role()
    returns text
    language sql
    stable
    as $role$
      select coalesce(
        nullif(current_setting('request.jwt.claim.role', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
      )
    $role$;
  end if;

  if to_regprocedure('auth.email()') is null then
    create function auth.email()
    returns text
    language sql
    stable
    as $email$
      select coalesce(
        nullif(current_setting('request.jwt.claim.email', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
      )
    $email$;
  end if;
end $$;

-- On a database of our own the public schema is open to the three roles and row security decides, as users of Supabase expect:
-- a table made in psql is in the API at once. TRUNCATE is left out, since it does not ask row security.
-- On anybody else's database the privileges of that schema are not ours to change.
do $$
begin
  if current_setting('stowage.own_database', true) = 'on' then
    grant usage on schema public to anon, authenticated, service_role;
    alter default privileges in schema public grant select, insert, update, delete on tables to anon, authenticated, service_role;
    alter default privileges in schema public grant usage, select on sequences to anon, authenticated, service_role;
    alter default privileges in schema public grant execute on functions to anon, authenticated, service_role;
  end if;
end $$;
