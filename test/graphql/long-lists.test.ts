import { expect, test } from 'vitest'
import { graphqlWorld } from './graphql-world.ts'

const world = graphqlWorld(
  'long_lists',
  `
    create table ticket (id int primary key, code varchar(20));
    comment on table ticket is '@graphql({"totalCount": {"enabled": true}})';
    insert into ticket select i, 'code ' || i from generate_series(1, 2000) i;
    grant select on ticket to anon;
  `,
  { maxConnections: 1 },
)

/** Of the one connection: what it keeps of the statements about tickets. */
const prepared = async (): Promise<number> => {
  const rows = await world.graphql.pool.query({
    text: `select count(*)::text from pg_prepared_statements where statement like '%"ticket"%'`,
    values: [],
  })
  return Number(rows[0]?.[0])
}

test('a long list of operands is planned each time it comes, a short one once', async () => {
  const query = 'query ($codes: [String!]) { ticketCollection(filter: {code: {in: $codes}}) { totalCount } }'
  const codes = (count: number) => ({ codes: Array.from({ length: count }, (_, i) => `code ${i + 1}`) })
  for (let i = 0; i < 3; i++)
    expect(await world.graphql.ask(query, codes(500))).toEqual({ data: { ticketCollection: { totalCount: 500 } } })
  expect(await prepared()).toBe(0)
  expect(await world.graphql.ask(query, codes(5))).toEqual({ data: { ticketCollection: { totalCount: 5 } } })
  expect(await prepared()).toBe(1)
})
