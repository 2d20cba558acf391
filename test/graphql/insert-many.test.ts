import { expect, test } from 'vitest'
import { withClient } from '../support/postgres.ts'
import { answering } from './explained.ts'
import { graphqlWorld } from './graphql-world.ts'

const COLUMNS = `
  id int primary key, "odd ""name" text, short varchar(20), fixed char(20), one "char", label name, amount numeric(6, 2), big bigint, small smallint,
  real8 float8, flag boolean, day date, at timestamptz(3), clock time, gap interval, key uuid, doc json, docb jsonb, bytes bytea, words text[],
  numbers int[], mood mood, moods mood[], positive positive, shape box, boxes box[], spot point, span int4range, host inet, bits bit(3), price money,
  search tsvector, class regclass, given int default 7`

const world = graphqlWorld(
  'insert_many',
  `
    create type mood as enum ('sad', 'so so', 'a,b');
    create domain positive as int check (value > 0);
    create function always_so_so(text) returns mood immutable language sql as $$ select 'so so'::mood $$;
    create cast (text as mood) with function always_so_so(text);
    create table unique_ones (id serial primary key, u int unique, d date);
    insert into unique_ones (u) values (1);
    create table together (${COLUMNS});
    create table alone (${COLUMNS});
    create table noted (id serial primary key, body text not null default 'none', n int default 7);
    grant all on all tables in schema public to anon;
    grant usage on all sequences in schema public to anon;
  `,
)

const TEXTS = ['', 'NULL', 'null', '{a,"b"}', '\\N', 'a\\b"c\'d', ' x ', 'two\nlines\ttab', '😀é', '(1,2)', ',', '$1']

const ROWS: readonly Record<string, unknown>[] = [
  ...TEXTS.map((text) => ({ short: text, fixed: text, label: text, words: [text, null], docb: JSON.stringify({ text }) })),
  {
    one: 'x',
    amount: '1234.565',
    big: '9007199254740993',
    small: -32768,
    real8: 0.1,
    flag: true,
    day: '2026-02-28',
    at: '2026-01-01T00:00:00.0005Z',
  },
  {
    clock: '23:59:59.999999',
    gap: '1 year 2 mons -3 days',
    key: '00000000-0000-4000-8000-000000000001',
    doc: '{"a":  [1, null]}',
    docb: 'null',
  },
  { bytes: '\\xdeadbeef', numbers: [1, null, -3], moods: ['a,b', 'sad'], mood: 'a,b', positive: 5 },
  {
    shape: '(1,2),(3,4)',
    spot: '(1.5,-2)',
    span: '[1,5)',
    host: '10.0.0.1/8',
    bits: '101',
    price: '1.50',
    search: "'a':1 'b':2",
    class: 'pg_class',
  },
  { class: '1259', boxes: ['(1,2),(3,4)', null] },
  { class: '-' },
  { amount: null, words: [], numbers: null, given: null },
]

const insert = (table: string, objects: readonly unknown[]) =>
  world.graphql.ask(`mutation ($o: [${table}InsertInput!]!) { insertInto${table}Collection(objects: $o) { affectedCount } }`, {
    o: objects,
  })

const stored = (table: string) =>
  withClient(world.database.url, async (client) =>
    (await client.query(`select t::text as row from ${table} t order by id`)).rows.map(({ row }) => row),
  )

test('rows that are inserted together are what they are when inserted alone, whatever their types', async () => {
  for (const [place, row] of ROWS.entries()) {
    const [one, other] = [place * 2, place * 2 + 1]
    const empty = Object.fromEntries(Object.keys(row).map((name) => [name, null]))
    expect(
      await insert('together', [
        { id: one, ...row },
        { id: other, ...empty },
      ]),
      JSON.stringify(row),
    ).toEqual({
      data: { insertIntotogetherCollection: { affectedCount: 2 } },
    })
    await insert('alone', [{ id: one, ...row }])
    await insert('alone', [{ id: other, ...empty }])
  }
  expect(await stored('together')).toEqual(await stored('alone'))
})

test('a value that PostgreSQL refuses is refused by the same words', async () => {
  for (const wrong of [{ day: 'x' }, { positive: -1 }, { key: 'no' }, { host: 'x' }, { doc: '{' }]) {
    const { errors } = await insert('alone', [{ id: 99, ...wrong }])
    expect(
      (
        await insert('together', [
          { id: 98, ...Object.fromEntries(Object.keys(wrong).map((name) => [name, null])) },
          { id: 99, ...wrong },
        ])
      ).errors,
    ).toEqual(errors?.map((error) => ({ ...error, path: ['insertIntotogetherCollection'] })))
  }
})

test('all values are read before the first row is made', async () => {
  const insertOnes = (objects: string, selected: string) =>
    world.graphql.ask(`mutation { insertIntounique_onesCollection(objects: [${objects}]) { ${selected} } }`)
  const { errors } = await insertOnes('{u: 1, d: "2020-01-01"}, {u: 2, d: "x"}', 'affectedCount')
  expect(errors?.[0]?.message).toBe('invalid input syntax for type date: "x"')
  expect(await insertOnes('{u: 2, d: null}, {u: 3, d: null}', 'records { id }')).toEqual({
    data: { insertIntounique_onesCollection: { records: [{ id: 2 }, { id: 3 }] } },
  })
})

test('rows that leave out different columns take the defaults of those', async () => {
  const mutation = `mutation { insertIntonotedCollection(objects: [{body: "a"}, {}, {n: 50}, {body: "b", n: null}]) { records { id body n } } }`
  expect(await world.graphql.ask(mutation)).toEqual({
    data: {
      insertIntonotedCollection: {
        records: [
          { id: 1, body: 'a', n: 7 },
          { id: 2, body: 'none', n: 7 },
          { id: 3, body: 'none', n: 50 },
          { id: 4, body: 'b', n: null },
        ],
      },
    },
  })
})

test('one statement serves any number of rows', async () => {
  const of = async (count: number) => {
    const objects = Array.from({ length: count }, (_, i) => `{id: ${1_000 * count + i}, short: "s"}`)
    return (await answering(world.graphql, `mutation { insertIntotogetherCollection(objects: [${objects}]) { records { id } } }`)).statement
  }
  const [two, hundred] = [await of(2), await of(100)]
  expect(hundred.text).toBe(two.text)
  expect(hundred.values.length).toBe(2)
})
