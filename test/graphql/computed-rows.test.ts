import { describe, expect, test } from 'vitest'
import { withClient } from '../support/postgres.ts'
import { answering, explained } from './explained.ts'
import { graphqlWorld } from './graphql-world.ts'

const world = graphqlWorld(
  'computed',
  `
    create domain short as varchar(5) not null default 'none';
    create type pair as (a int, b text);
    create table thing (
      id int primary key, gone text, name varchar(8), code char(4), tag short, of_two pair, "Odd ""name" numeric(6, 2)[], "(row)" int,
      doubled int generated always as (id * 2) virtual, kept int generated always as (id * 3) stored
    );
    alter table thing drop column gone;
    insert into thing (id, name, code, tag, of_two, "Odd ""name", "(row)")
      select i, 'n' || i, 'c', 't' || i, (i, null)::pair, array[i, null], -i from generate_series(1, 5) i;
    create table odd (id int primary key, "(position)" int, "(read)" int, "(place)" int);
    insert into odd select i, i, i, i from generate_series(1, 3) i;
    create function added(odd) returns int stable language plpgsql as 'begin return $1."(position)" + $1."(read)" + $1."(place)"; end';
    create table part (id int primary key, name text) partition by range (id);
    create table half () inherits (thing);
    create table part_one (late int, name text, id int not null);
    alter table part_one drop column late;
    alter table part attach partition part_one for values from (0) to (10);
    insert into part values (1, 'one');
    create view seen as select * from thing where id > 2;
    comment on view seen is '@graphql({"primary_key_columns": ["id"]})';
    create function inlined(thing) returns text stable language sql as 'select $1::text';
    create function called(thing) returns text stable language plpgsql as 'begin return $1::text; end';
    create function strict_one(thing) returns text stable strict language plpgsql as 'begin return $1.name; end';
    create function inlined(seen) returns text stable language sql as 'select $1::text';
    create function called(part) returns text stable language plpgsql as 'begin return $1::text; end';
    create function nobody(thing) returns thing stable language sql as 'select null::thing';
    create function others(thing) returns setof thing stable language sql as 'select t from thing t where t.id > $1.id';
    create table doc (id int primary key, made int, body text);
    alter table doc alter body set storage external;
    insert into doc select i, i * 7919 % 1000, repeat('long', 5000) from generate_series(1, 1000) i;
    create function shout(doc) returns int stable language plpgsql as 'begin return $1.made; end';
    grant usage on schema public to anon;
    grant all on all tables in schema public to anon;
  `,
)

const sql = async (query: string): Promise<unknown> =>
  withClient(world.database.url, async (client) => (await client.query({ text: query, rowMode: 'array' })).rows.flat())

/** What the functions say of the rows as PostgreSQL has them. */
const answers = async (query: string): Promise<readonly Record<string, unknown>[]> => {
  const { data, errors } = await world.graphql.ask(query)
  expect(errors).toBeUndefined()
  const [{ edges }] = Object.values(data as Record<string, { edges: { node: Record<string, unknown> }[] }>) as [
    { edges: { node: Record<string, unknown> }[] },
  ]
  return edges.map(({ node }) => node)
}

describe('a function of a row is given the row', () => {
  test.each([
    ['inlined', 'thing', 'orderBy: {name: DescNullsLast}', 'order by name desc'],
    ['called', 'thing', 'orderBy: {name: DescNullsLast}, first: 2, offset: 1', 'order by name desc limit 2 offset 1'],
    ['strict_one', 'thing', 'last: 2', 'order by id offset 3'],
    ['inlined', 'seen', 'filter: {id: {lt: 5}}', 'where id < 5 order by id'],
    ['called', 'part', 'first: 1', 'order by id'],
  ])('%s, of %s (%s)', async (fn, relation, asked, rows) => {
    const expected = await sql(`select ${fn}(x) from ${relation} x ${rows}`)
    expect((await answers(`{ ${relation}Collection(${asked}) { edges { node { id ${fn} } } } }`)).map((node) => node[fn])).toEqual(expected)
  })

  test('also of a row that a function gave, or that was just made', async () => {
    const [first] = await answers(
      '{ thingCollection(first: 1) { edges { node { nobody { called } others(first: 1) { edges { node { id called } } } } } } }',
    )
    expect(first).toEqual({
      nobody: null,
      others: { edges: [{ node: { id: 2, called: ((await sql('select called(t) from thing t where id = 2')) as string[])[0] } }] },
    })
    const made = await world.graphql.ask(
      'mutation { insertIntothingCollection(objects: [{id: 9, tag: "x"}]) { records { called inlined } } }',
    )
    const [text] = (await sql('select called(t) from thing t where id = 9')) as string[]
    expect(made).toEqual({ data: { insertIntothingCollection: { records: [{ called: text, inlined: text }] } } })
  })
})

test('whatever its columns are called', async () => {
  const query =
    '{ oddCollection(last: 2, before: "WzNd") { edges { cursor node { added } } pageInfo { startCursor endCursor hasPreviousPage hasNextPage } } }'
  expect(await world.graphql.ask(query)).toEqual({
    data: {
      oddCollection: {
        edges: [
          { cursor: 'WzFd', node: { added: 3 } },
          { cursor: 'WzJd', node: { added: 6 } },
        ],
        pageInfo: { startCursor: 'WzFd', endCursor: 'WzJd', hasPreviousPage: false, hasNextPage: true },
      },
    },
  })
  const changed = await world.graphql.ask('mutation { deleteFromoddCollection(filter: {id: {eq: 2}}) { records { added } } }')
  expect(changed).toEqual({ data: { deleteFromoddCollection: { records: [{ added: 6 }] } } })
})

test('long values that nobody asked for are not read for rows that are sorted away', async () => {
  const { statement } = await answering(
    world.graphql,
    '{ docCollection(first: 3, orderBy: {made: AscNullsLast}) { edges { node { shout } } } }',
  )
  const { blocks } = await explained(world.database, statement)
  // the table is a dozen, and a long value eleven of another
  expect(blocks).toBeLessThan(100)
})
