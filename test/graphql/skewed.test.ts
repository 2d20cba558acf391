import { expect, test } from 'vitest'
import { graphqlWorld } from './graphql-world.ts'

// nine tenths belong to one tenant, every other has a row of its own: a plan for any tenant reads all of his and sorts them
const world = graphqlWorld(
  'skewed',
  `
    create table note (id int primary key, tenant int not null, body text not null);
    comment on table note is '@graphql({"max_rows": 200})';
    insert into note select i, case when i % 10 > 0 then 1 else i end, 'x' from generate_series(1, 100000) i;
    create index on note (tenant);
    analyze note;
    grant select on note to anon;
  `,
  { maxConnections: 1 },
)

test('a statement that is much slower by a plan for any values is planned for its own', async () => {
  const query = 'query ($tenant: Int!) { noteCollection(filter: {tenant: {eq: $tenant}}, first: 100) { edges { node { id } } } }'
  const expected = Array.from({ length: 112 }, (_, i) => i + 1).filter((id) => id % 10 > 0)
  for (let i = 0; i < 40; i++) {
    const answer = (await world.graphql.ask(query, { tenant: 1 })) as { data: { noteCollection: { edges: { node: { id: number } }[] } } }
    expect(answer.data.noteCollection.edges.map(({ node }) => node.id)).toEqual(expected.slice(0, 100))
  }
  const [plans] = await world.graphql.pool.query({
    text: `select generic_plans::text, custom_plans::text from pg_prepared_statements where statement like '%"note"%'`,
    values: [],
  })
  const forAny = Number(plans?.[0])
  expect(forAny).toBeGreaterThanOrEqual(1)
  expect(forAny).toBeLessThan(20)
  expect(plans?.[1]).toBe('5')
})
