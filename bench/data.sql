-- What the GraphQL workloads ask about, made without chance: the same rows on every machine. :scale is 1, or a part of it for a short run.
create table region (id int primary key, name text not null);
create table country (id int primary key, name text not null, region_id int not null references region);
create table town (id int primary key, name text not null, country_id int not null references country);
create table customer (id int primary key, email text not null unique, name text not null, plan text not null, cohort int not null, town_id int not null references town, joined_at timestamptz not null);
create table purchase (id int primary key, customer_id int not null references customer, shop int not null, status text not null, total numeric(12, 2) not null, placed_at timestamptz not null);
create table line (id int primary key, purchase_id int not null references purchase, quantity int not null, price numeric(12, 2) not null, label text not null);
create table wide (
  id int primary key, batch int not null,
  a1 int not null, a2 int, a3 bigint not null, a4 smallint not null, b1 numeric(12, 2) not null, b2 numeric(14, 4), b3 float8 not null,
  c1 text not null, c2 text, c3 text not null, c4 text, c5 text not null, d1 uuid not null, d2 date not null, d3 timestamptz not null, d4 timestamptz,
  e1 boolean not null, e2 boolean
);
create table note (id int primary key, tenant uuid not null, title text not null, status text not null, body text not null, changed_at timestamptz not null);
create table click (id int generated always as identity primary key, actor uuid not null, kind text not null, note text not null);

insert into region select i, 'Region ' || i from generate_series(1, 10) i;
insert into country select i, 'Country ' || i, 1 + i % 10 from generate_series(1, 100) i;
insert into town select i, 'Town ' || i, 1 + i % 100 from generate_series(1, 1000) i;
insert into customer
  select i, 'customer' || i || '@example.org', 'Customer "' || i || '"', (array['free', 'pro', 'team'])[1 + i % 3], (i - 1) / 20, 1 + i % 1000,
         timestamptz '2026-01-01Z' + i * interval '7 minutes'
    from generate_series(1, (10000 * :scale)::int) i;
insert into purchase
  select i, 1 + (i - 1) / 10, 1 + i * 7 % 50, (array['paid', 'open', 'paid', 'void'])[1 + (i / 50) % 4], i * 31 % 900000 / 100.0,
         timestamptz '2026-01-01Z' + (i * 7919::bigint % 40000000) * interval '1 second'
    from generate_series(1, (100000 * :scale)::int) i;
insert into line
  select i, 1 + (i - 1) / 5, 1 + i % 9, i * 17::bigint % 99000 / 100.0, 'line ' || i from generate_series(1, (500000 * :scale)::int) i;
insert into wide
  select i, (i - 1) / 100, i * 3, case when i % 7 > 0 then i end, i * 1000003::bigint, i % 30000, i * 19::bigint % 100000 / 100.0,
         case when i % 11 > 0 then i / 7.0 end, i / 8.0, 'text ' || i, case when i % 3 > 0 then 'perhaps ' || i end, repeat('x', 10 + i % 20),
         case when i % 4 > 0 then 'ünïcode ' || i end, E'tab\tand "quote" ' || i, md5(i::text)::uuid, date '2026-01-01' + i % 2000,
         timestamptz '2026-01-01Z' + i * interval '1 minute', case when i % 5 > 0 then timestamptz '2026-06-01Z' + i * interval '1 minute' end,
         i % 2 = 0, case when i % 6 > 0 then i % 3 = 0 end
    from generate_series(1, (20000 * :scale)::int) i;
insert into note
  select i, md5('tenant' || i % 100)::uuid, 'Note ' || i, (array['open', 'done', 'open', 'draft'])[1 + (i / 100) % 4], repeat('words of a note ', 6),
         timestamptz '2026-01-01Z' + (i * 7919::bigint % 40000000) * interval '1 second'
    from generate_series(1, (1000000 * :scale)::int) i;

create index on country (region_id);
create index on town (country_id);
create index on customer (town_id);
create index on customer (cohort, id);
create index on purchase (customer_id, id);
create index on purchase (shop, status);
create index on line (purchase_id, id);
create index on wide (batch, id);
create index on note (tenant);

do $$
declare
  name text;
begin
  foreach name in array array['region', 'country', 'town', 'customer', 'purchase', 'line', 'wide', 'note', 'click'] loop
    execute format('alter table %I enable row level security', name);
    execute format('grant select, insert on %I to authenticated', name);
    if name not in ('note', 'click') then
      execute format('create policy anybody on %I for select to authenticated using (true)', name);
    end if;
  end loop;
end $$;
create policy own_tenant on note for select to authenticated using (tenant = (current_setting('request.jwt.claims', true)::json ->> 'sub')::uuid);
create policy own_read on click for select to authenticated using (actor = (current_setting('request.jwt.claims', true)::json ->> 'sub')::uuid);
create policy own_write on click for insert to authenticated with check (actor = (current_setting('request.jwt.claims', true)::json ->> 'sub')::uuid);
comment on table purchase is '@graphql({"totalCount": {"enabled": true}})';
comment on schema public is '@graphql({"inflect_names": false, "max_rows": 1000})';
