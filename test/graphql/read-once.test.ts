import { expect, test } from 'vitest'
import { answering, explained } from './explained.ts'
import { graphqlWorld } from './graphql-world.ts'

const world = graphqlWorld(
  'read_once',
  `
    create table fact (id int primary key, n int not null);
    comment on table fact is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
    insert into fact select i, i % 10 from generate_series(1, 500) i;
    create function looked_up() returns setof fact stable language plpgsql as 'begin return query select * from fact; end';
    create function put_in() returns setof fact stable language sql as 'select * from fact where n < 5';
    grant select on fact to anon;
  `,
)

/** How often what is named so is run, and the data. */
async function runsOf(nodeType: string, query: string): Promise<{ readonly runs: number; readonly data: unknown }> {
  const { data, statement } = await answering(world.graphql, query)
  const { nodes } = await explained(world.database, statement)
  const runs = nodes.filter((node) => node['Node Type'] === nodeType && node['Relation Name'] !== 'schema_version')
  return { runs: runs.reduce((sum, node) => sum + Number(node['Actual Loops']), 0), data }
}

test('all counts of a collection are worked out in one reading', async () => {
  const query = '{ factCollection(filter: {n: {lt: 3}}) { totalCount aggregate { count sum { n } } again: aggregate { avg { n } } } }'
  expect(await runsOf('Seq Scan', query)).toEqual({
    runs: 1,
    data: { factCollection: { totalCount: 150, aggregate: { count: 150, sum: { n: 150 } }, again: { avg: { n: 1 } } } },
  })
})

test('a function that PostgreSQL cannot look into is called once', async () => {
  const query = '{ looked_up(first: 1, after: "WzFd") { totalCount edges { node { id } } pageInfo { hasPreviousPage } } }'
  expect(await runsOf('Function Scan', query)).toEqual({
    runs: 1,
    data: { looked_up: { totalCount: 500, edges: [{ node: { id: 2 } }], pageInfo: { hasPreviousPage: true } } },
  })
})

test('all counts of what it returned are worked out of the rows that are kept', async () => {
  expect(
    await runsOf('Function Scan', '{ looked_up(filter: {n: {lt: 2}}, first: 0) { totalCount aggregate { count max { n } } } }'),
  ).toEqual({
    runs: 1,
    data: { looked_up: { totalCount: 100, aggregate: { count: 100, max: { n: 1 } } } },
  })
})

test('one whose query can stand in its place is no call at all', async () => {
  const { runs } = await runsOf('Function Scan', '{ put_in(filter: {id: {eq: 3}}) { totalCount edges { node { id } } } }')
  expect(runs).toBe(0)
})
