import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase, withClient } from '../support/postgres.ts'
import { CREATE_ROLES } from '../support/roles.ts'
import { type GraphqlOn, graphqlOn } from './graphql-on.ts'

let database: FreshDatabase
let graphql: GraphqlOn

beforeAll(async () => {
  database = await freshDatabase('long_lists')
  await withClient(database.url, (client) =>
    client.query(`
    ${CREATE_ROLES}
    create extension stowage_graphql;
    create table ticket (id int primary key, code varchar(20));
    comment on table ticket is '@graphql({"totalCount": {"enabled": true}})';
    insert into ticket select i, 'code ' || i from generate_series(1, 2000) i;
    grant select on ticket to anon;
  `),
  )
  graphql = graphqlOn(database.url, { maxConnections: 1 })
})
afterAll(async () => {
  await graphql.end()
  await database.drop()
})

/** Of the one connection: what it keeps of the statements about tickets. */
const prepared = async (): Promise<number> => {
  const rows = await graphql.pool.query({
    text: `select count(*)::text from pg_prepared_statements where statement like '%"ticket"%'`,
    values: [],
  })
  return Number(rows[0]?.[0])
}

test('a long list of operands is planned each time it comes, a short one once', async () => {
  const query = 'query ($codes: [String!]) { ticketCollection(filter: {code: {in: $codes}}) { totalCount } }'
  const codes = (count: number) => ({ codes: Array.from({ length: count }, (_, i) => `code ${i + 1}`) })
  for (let i = 0; i < 3; i++) expect(await graphql.ask(query, codes(500))).toEqual({ data: { ticketCollection: { totalCount: 500 } } })
  expect(await prepared()).toBe(0)
  expect(await graphql.ask(query, codes(5))).toEqual({ data: { ticketCollection: { totalCount: 5 } } })
  expect(await prepared()).toBe(1)
})
