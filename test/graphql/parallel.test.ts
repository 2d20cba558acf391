import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase, withClient } from '../support/postgres.ts'
import { CREATE_ROLES } from '../support/roles.ts'
import { answering, explained } from './explained.ts'
import { type GraphqlOn, graphqlOn } from './graphql-on.ts'

let database: FreshDatabase
let graphql: GraphqlOn

beforeAll(async () => {
  database = await freshDatabase('parallel')
  await withClient(database.url, (client) =>
    client.query(`
    ${CREATE_ROLES}
    create extension stowage_graphql;
    create table fact (id int primary key, n int, note text);
    comment on table fact is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
    insert into fact select i, i % 97, 'note ' || i from generate_series(1, 5000) i;
    alter table fact enable row level security;
    create policy "small ones" on fact using (n < 50 and current_setting('request.jwt.claims', true) is not null);
    grant select on fact to anon;
    alter database ${database.name} set parallel_setup_cost = 0;
    alter database ${database.name} set parallel_tuple_cost = 0;
    alter database ${database.name} set min_parallel_table_scan_size = 0;
  `),
  )
  graphql = graphqlOn(database.url)
})
afterAll(async () => {
  await graphql.end()
  await database.drop()
})

test.each([
  ['{ factCollection(first: 0, filter: {note: {like: "%9%"}}) { totalCount } }'],
  ['{ factCollection { aggregate { sum { n } } } }'],
  ['{ factCollection(first: 3, orderBy: {note: AscNullsLast}) { edges { node { id } } } }'],
])('PostgreSQL may use several processes for %s', async (query) => {
  const { statement } = await answering(graphql, query)
  expect((await explained(database, statement)).nodes.map((node) => node['Node Type'])).toContainEqual(expect.stringMatching(/^Gather/))
})
