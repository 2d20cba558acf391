-- Accounts, blogs and posts, three levels deep, with row security on posts.
do $$ begin create role anon nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role authenticated nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role service_role nologin bypassrls; exception when duplicate_object or unique_violation then null; end $$;
create extension stowage_graphql;
comment on schema public is '@graphql({"inflect_names": true, "introspection": true})';

create type blog_state as enum ('draft', 'live');
create table account (
  id int primary key,
  email text not null,
  balance numeric(10, 2),
  visits bigint,
  joined_at timestamptz not null default '2026-01-02 03:04:05+00'
);
comment on table account is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
create table blog (
  id int primary key,
  owner_id int not null references account (id),
  title text not null,
  state blog_state not null default 'draft',
  tags text[]
);
create index on blog (owner_id, id);
create table post (
  id uuid primary key,
  blog_id int not null references blog (id) on delete cascade,
  body text,
  score int,
  secret boolean not null default false
);
create index on post (blog_id, id);
alter table post enable row level security;
create policy "open posts" on post for select to anon using (not secret);
create policy "own posts" on post for all to authenticated using ((select current_setting('request.jwt.claims', true)::json ->> 'sub') = body);
create function blog_words(blog) returns int stable language sql as $$ select cardinality(string_to_array($1.title, ' ')) $$;
comment on function blog_words(blog) is '@graphql({"name": "words"})';

insert into account values (1, 'ann@example.org', 10.50, 9007199254740993), (2, 'bob "b" \ex', null, null), (3, 'cy@example.org', 0, 1);
insert into blog values (1, 1, 'First steps', 'live', '{a,"b c"}'), (2, 1, 'Notes', 'draft', null), (3, 2, 'Silence', 'live', '{}');
insert into post values
  ('00000000-0000-4000-8000-000000000001', 1, 'hello', 3, false),
  ('00000000-0000-4000-8000-000000000002', 1, 'hidden', 5, true),
  ('00000000-0000-4000-8000-000000000003', 2, null, null, false);
grant usage on schema public to anon, authenticated, service_role;
grant select on account, blog, post to anon;
grant all on account, blog, post to service_role;
grant select, insert, update, delete on account, blog, post to authenticated;
