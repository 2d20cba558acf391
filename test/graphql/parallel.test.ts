import { expect, test } from 'vitest'
import { answering, explained } from './explained.ts'
import { graphqlWorld } from './graphql-world.ts'

const world = graphqlWorld(
  'parallel',
  `
    create table fact (id int primary key, n int, note text);
    comment on table fact is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
    insert into fact select i, i % 97, 'note ' || i from generate_series(1, 5000) i;
    alter table fact enable row level security;
    create policy "small ones" on fact using (n < 50 and current_setting('request.jwt.claims', true) is not null);
    grant select on fact to anon;
    do $$ begin
      execute format('alter database %I set parallel_setup_cost = 0', current_database());
      execute format('alter database %I set parallel_tuple_cost = 0', current_database());
      execute format('alter database %I set min_parallel_table_scan_size = 0', current_database());
    end $$;
  `,
)

test.each([
  ['{ factCollection(first: 0, filter: {note: {like: "%9%"}}) { totalCount } }'],
  ['{ factCollection { aggregate { sum { n } } } }'],
  ['{ factCollection(first: 3, orderBy: {note: AscNullsLast}) { edges { node { id } } } }'],
])('PostgreSQL may use several processes for %s', async (query) => {
  const { statement } = await answering(world.graphql, query)
  expect((await explained(world.database, statement)).nodes.map((node) => node['Node Type'])).toContainEqual(
    expect.stringMatching(/^Gather/),
  )
})
