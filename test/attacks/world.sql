-- Whoever owns a row may do everything with it, and nobody else sees it; everybody signed in may make buckets and objects of their own.

create policy "own buckets" on storage.buckets for all to authenticated
  using (owner_id = auth.jwt() ->> 'sub')
  with check (owner_id = auth.jwt() ->> 'sub');
create policy "buckets of the tests" on storage.buckets for select to authenticated using (id in ('priv', 'pub', 'lim'));

create policy "own objects" on storage.objects for all to authenticated
  using (owner_id = auth.jwt() ->> 'sub' and case
    when bucket_id = 'divides' then 1 / (length(name) - length(name)) = 1
    when bucket_id = 'casts' then name::uuid is not null
    else true
  end)
  with check (owner_id = auth.jwt() ->> 'sub');

-- the data behind GraphQL

comment on schema public is '@graphql({"introspection": true})';

create table account (
  id serial primary key,
  owner text,
  name text,
  balance bigint default 0,
  parent_id int references account (id)
);
comment on table account is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
alter table account enable row level security;
create policy "own accounts" on account for all to authenticated
  using (owner = auth.jwt() ->> 'sub')
  with check (owner = auth.jwt() ->> 'sub');

create table note (
  id serial primary key,
  account_id int not null references account (id) on delete cascade,
  body text
);
alter table note enable row level security;
create policy "notes of signed-in users" on note for all to authenticated using (true) with check (true);

-- anybody reads and writes: for attacks on values
create table sample (
  id serial primary key,
  an_int int,
  a_big bigint,
  a_numeric numeric,
  a_float float8,
  a_bool boolean,
  a_text text,
  a_uuid uuid,
  a_date date,
  a_time time,
  a_timestamp timestamp,
  a_timestamptz timestamptz,
  a_json json,
  a_jsonb jsonb,
  a_list text[],
  bytes bytea
);
comment on table sample is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
insert into sample (an_int, a_big, a_numeric, a_float, a_bool, a_text) values (1, 1, 1, 1, true, 'one');

-- policies that fail
create table divides (id int primary key);
insert into divides values (1);
alter table divides enable row level security;
create policy p on divides using (1 / (id - id) = 1);
create table turns (id int primary key);
alter table turns enable row level security;
create policy p on turns using (exists (select from turns t where t.id = turns.id));
create table casts (id int primary key, word text);
insert into casts values (1, 'no number');
alter table casts enable row level security;
create policy p on casts using (word::int = 1);

-- a row that whoever made it cannot read back
create table dropbox (id serial primary key, body text);
alter table dropbox enable row level security;
create policy p on dropbox for insert to anon, authenticated with check (true);

-- fails when the transaction commits, and not before
create table balanced (id int primary key, amount int);
create function refuse_at_commit() returns trigger language plpgsql as $$
begin
  raise exception 'the books do not balance';
end $$;
create constraint trigger balances after insert or update on balanced deferrable initially deferred
  for each row when (new.amount <> 0) execute function refuse_at_commit();

-- functions
create function become_service() returns text language plpgsql volatile as $$
begin
  perform set_config('role', 'service_role', true);
  return current_user;
end $$;
create function wait(seconds float8) returns float8 language sql volatile as $$ select seconds from pg_sleep(seconds) $$;
create function tell_everybody(times int) returns int language plpgsql volatile as $$
begin
  for i in 1..times loop
    perform pg_notify('noise', repeat('x', 7000) || i);
  end loop;
  return times;
end $$;
create function fill_disk(rows int) returns bigint language sql volatile as $$
  select count(*) from (select g, repeat('x', 1000) as x from generate_series(1, rows) g order by x, g desc offset 0) s
$$;
create function allocate(bytes int) returns int language sql volatile as $$ select length(repeat('x', bytes)) $$;
create function secret_of_the_owner() returns int language sql volatile security definer as $$ select count(*)::int from account $$;
revoke execute on function secret_of_the_owner() from public, anon, authenticated, service_role;

-- names that are no GraphQL names, or look like SQL
create table "we""ird; --" ("id" int primary key, "a'b" text, "a$$b" text, "back\slash" text);
insert into "we""ird; --" values (1, 'x', 'y', 'z');
create table odd_columns (id int primary key, "a'b" text, "a""b" text, "a$$b" text, "a\b" text, "select" text);
insert into odd_columns values (1, 'apostrophe', 'quote', 'dollars', 'backslash', 'word');
comment on column odd_columns."a'b" is e'@graphql({"name": "apostrophe"})';
comment on column odd_columns."a""b" is e'@graphql({"name": "quote"})';
comment on column odd_columns."a$$b" is e'@graphql({"name": "dollars"})';
comment on column odd_columns."a\b" is e'@graphql({"name": "backslash"})';
create function "quoted ""args"" "("a'b" int, "select" text) returns text language sql stable as $$ select $2 $$;

-- shapes that a schema can hardly show
create table no_columns ();
create type pair as (a int, b text);
create domain small as int check (value < 10);
create domain smaller as small check (value < 5);
create table shapes (id int primary key, matrix int[][], a_pair pair, a_small smaller, span int4range, spot point, raw bytea, words tsvector);
insert into shapes values (1, array[[1, 2], [3, 4]], row (1, 'x')::pair, 3, '[1,5)', '(1,2)', '\x00ff', 'a b');
create table a_name_of_sixty_three_bytes_that_is_as_long_as_a_name_can_be_aa (id int primary key);
create table "Query" (id int primary key);
create table "Node" (id int primary key);
create table "Int" (id int primary key);
create table __x (id int primary key);
create table "order" (id int primary key, "type" text, "__typename" text);

-- the twin of a table of ours
create table objects (id int primary key, name text);
insert into objects values (1, 'the twin');
