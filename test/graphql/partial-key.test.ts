import { expect, test } from 'vitest'
import { graphqlWorld } from './graphql-world.ts'

const world = graphqlWorld(
  'partial_key',
  `
    create table visit (place int, person int, note text, primary key (place, person));
    insert into visit values (1, 2, 'x'), (2, 2, 'y'), (3, 2, 'z'), (1, 3, 'w');
    grant select (person, note), update, delete on visit to anon;
    create table secret (id int primary key, note text not null);
    create index on secret (note);
    insert into secret values (1, 's'), (2, 'r'), (3, 't');
    grant select (note) on secret to anon;
    create function all_visits() returns setof visit language sql stable security definer as 'select v from visit v';
    create function one_visit() returns visit language sql stable security definer as 'select v from visit v limit 1';
    create table guest (id int primary key);
    insert into guest values (1);
    create function visits_of(g guest) returns setof visit language sql stable security definer as 'select v from visit v';
    grant select on guest to anon;
  `,
)

const base64 = (json: unknown): string => Buffer.from(JSON.stringify(json)).toString('base64')
const refused = (table: string) => ({ data: null, errors: [{ message: `permission denied for table ${table}` }] })

test('rows are read by a role that may not read the whole key', async () => {
  expect(
    await world.graphql.ask('{ visitCollection(filter: {person: {eq: 3}}) { edges { node { note } } pageInfo { hasNextPage } } }'),
  ).toEqual({ data: { visitCollection: { edges: [{ node: { note: 'w' } }], pageInfo: { hasNextPage: false } } } })
  expect(await world.graphql.ask('{ secretCollection(orderBy: {note: AscNullsLast}, first: 1) { edges { node { note } } } }')).toEqual({
    data: { secretCollection: { edges: [{ node: { note: 'r' } }] } },
  })
})

test.each([
  ['visit', '{ edges { cursor } }'],
  ['visit', '{ pageInfo { endCursor } }'],
  ['secret', '{ edges { cursor } }'],
  ['secret', '{ pageInfo { startCursor } }'],
  ['secret', '{ edges { node { nodeId } } }'],
])('PostgreSQL refuses where a row of %s stands: %s', async (table, selection) => {
  expect(await world.graphql.ask(`{ ${table}Collection ${selection} }`)).toMatchObject(refused(table))
})

test.each([
  ['visit', `after: "${base64([2])}"`],
  ['visit', `before: "${base64([2])}"`],
  ['secret', `orderBy: {note: AscNullsLast}, after: "${base64(['r'])}"`],
])('and to go on from a row of %s (%s)', async (table, args) => {
  expect(await world.graphql.ask(`{ ${table}Collection(${args}) { edges { node { note } } pageInfo { hasPreviousPage } } }`)).toMatchObject(
    refused(table),
  )
})

test.each([
  'all_visits { edges { cursor } }',
  'all_visits { pageInfo { endCursor } }',
  `all_visits(after: "${base64([1])}") { edges { node { note } } }`,
  'all_visits { edges { node { nodeId } } }',
  `all_visits(filter: {nodeId: {eq: "${base64(['public', 'visit', 1, 2])}"}}) { edges { node { note } } }`,
  'one_visit { nodeId }',
  'guestCollection { edges { node { visits_of { edges { cursor } } } } }',
  'guestCollection { edges { node { visits_of { edges { node { nodeId } } } } } }',
])('rows that a function returns tell no more of their key: %s', async (field) => {
  expect(await world.graphql.ask(`{ ${field} }`)).toMatchObject(refused('visit'))
})

test('a part of a key is no nodeId, and changes nothing', async () => {
  const remove = (id: unknown) =>
    world.graphql.ask(`mutation { deleteFromvisitCollection(filter: {nodeId: {eq: "${base64(id)}"}}, atMost: 5) { affectedCount } }`)
  expect(await remove(['public', 'visit', 2])).toMatchObject(refused('visit'))
  expect(await remove(['public', 'visit', 1, 2])).toMatchObject(refused('visit'))
  expect(await world.graphql.ask('{ visitCollection { edges { node { note } } } }')).toMatchObject({
    data: { visitCollection: { edges: { length: 4 } } },
  })
})
