import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolve } from '../../src/graphql/resolve.ts'
import { textOf } from '../../src/graphql/respond.ts'
import { roleName } from '../../src/std/brand.ts'
import { type FreshDatabase, freshDatabase, withClient } from '../support/postgres.ts'
import { type GraphqlOn, graphqlOn } from './graphql-on.ts'

const AS = { role: roleName('anon'), subject: null, claims: '{"role":"anon"}', token: '' }
const ROWS = 5_000

let database: FreshDatabase
let graphql: GraphqlOn

beforeAll(async () => {
  database = await freshDatabase('at_most')
  await withClient(database.url, (client) =>
    client.query(`
    do $$ begin create role anon nologin; exception when duplicate_object or unique_violation then null; end $$;
    do $$ begin create role authenticated nologin; exception when duplicate_object or unique_violation then null; end $$;
    do $$ begin create role service_role nologin bypassrls; exception when duplicate_object or unique_violation then null; end $$;
    create extension stowage_graphql;
    create table note (id int primary key, done bool not null default false);
    insert into note select i from generate_series(1, ${ROWS}) i;
    grant select, update, delete on note to anon;
    create sequence touched;
    grant usage on touched to anon;
    create function touch() returns trigger language plpgsql as $$ begin perform nextval('touched'); return coalesce(new, old); end $$;
    create trigger touch before update or delete on note for each row execute function touch();
  `),
  )
  graphql = graphqlOn(database.url)
})
afterAll(async () => {
  await graphql.end()
  await database.drop()
})

async function ask(query: string): Promise<unknown> {
  const { text } = await resolve(graphql.deps, AS, { query, variables: {}, operationName: null }, AbortSignal.timeout(20_000))
  return JSON.parse(textOf(text))
}
/** Rows that were changed since the last look, undone or not: a sequence does not go back. */
const touchedSince = (): Promise<number> =>
  withClient(database.url, async (client) => {
    const { rows } = await client.query(
      `select case when is_called then last_value else 0 end as touched, setval('touched', 1, false) from touched`,
    )
    return Number(rows[0].touched)
  })

test.each([
  ['update', 'updatenoteCollection(set: {done: true}, atMost: 3)'],
  ['delete', 'deleteFromnoteCollection(atMost: 3)'],
])('an %s of too many rows ends at the first that is too many', async (what, mutation) => {
  expect(await ask(`mutation { ${mutation} { affectedCount } }`)).toMatchObject({
    data: null,
    errors: [{ message: `${what} impacts too many records` }],
  })
  expect(await touchedSince()).toBe(4)
})

test.each([
  ['updatenoteCollection', 'set: {done: true}, '],
  ['deleteFromnoteCollection', ''],
])('%s of as many as are allowed, or of none', async (mutation, set) => {
  const answered = async (filter: string) =>
    ask(`mutation { n: ${mutation}(${set}filter: {id: {lte: ${filter}}}, atMost: 3) { affectedCount records { id } } }`)
  expect(await answered('0')).toEqual({ data: { n: { affectedCount: 0, records: [] } } })
  expect(await answered('3')).toMatchObject({ data: { n: { affectedCount: 3, records: [{ id: 1 }, { id: 2 }, { id: 3 }] } } })
  expect(await touchedSince()).toBe(3)
})
