import { expect, test } from 'vitest'
import { withClient } from '../support/postgres.ts'
import { graphqlWorld } from './graphql-world.ts'

const ROWS = 5_000

const world = graphqlWorld(
  'at_most',
  `
    create table note (id int primary key, done bool not null default false);
    insert into note select i from generate_series(1, ${ROWS}) i;
    grant select, update, delete on note to anon;
    create sequence touched;
    grant usage on touched to anon;
    create function touch() returns trigger language plpgsql as $$ begin perform nextval('touched'); return coalesce(new, old); end $$;
    create trigger touch before update or delete on note for each row execute function touch();
  `,
)

/** Rows that were changed since the last look, undone or not: a sequence does not go back. */
const touchedSince = (): Promise<number> =>
  withClient(world.database.url, async (client) => {
    const { rows } = await client.query(
      `select case when is_called then last_value else 0 end as touched, setval('touched', 1, false) from touched`,
    )
    return Number(rows[0].touched)
  })

test.each([
  ['update', 'updatenoteCollection(set: {done: true}, atMost: 3)'],
  ['delete', 'deleteFromnoteCollection(atMost: 3)'],
])('an %s of too many rows ends at the first that is too many', async (what, mutation) => {
  expect(await world.graphql.ask(`mutation { ${mutation} { affectedCount } }`)).toMatchObject({
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
    world.graphql.ask(`mutation { n: ${mutation}(${set}filter: {id: {lte: ${filter}}}, atMost: 3) { affectedCount records { id } } }`)
  expect(await answered('0')).toEqual({ data: { n: { affectedCount: 0, records: [] } } })
  expect(await answered('3')).toMatchObject({ data: { n: { affectedCount: 3, records: [{ id: 1 }, { id: 2 }, { id: 3 }] } } })
  expect(await touchedSince()).toBe(3)
})

test.each(['update', 'delete'])('an %s of at most a negative number is refused, also of no rows', async (what) => {
  const mutation = what === 'update' ? 'updatenoteCollection' : 'deleteFromnoteCollection'
  const set = what === 'update' ? 'set: {done: true}, ' : ''
  const asked = await world.graphql.ask(
    `mutation ($most: Int!) { ${mutation}(${set}filter: {id: {eq: 0}}, atMost: $most) { affectedCount } }`,
    { most: -1 },
  )
  expect(asked).toMatchObject({ data: null, errors: [{ message: `${what} impacts too many records` }] })
})
