import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, parse, validate, validateSchema } from 'graphql'
import { expect, test } from 'vitest'
import { graphqlWorld } from './graphql-world.ts'

const TAKEN = ['date', 'time', 'cursor', 'page_info', 'filter_is', 'order_by_direction', 'int_filter', 'query', 'node', 'opaque']

const world = graphqlWorld(
  'names_taken',
  `
    comment on schema public is '@graphql({"inflect_names": true, "introspection": true})';
    create table book (id int primary key, title text, day date);
    insert into book values (1, 'Emma', '1815-12-23');
    ${TAKEN.map((name) => `create table "${name}" (id int primary key, day date); insert into "${name}" values (1, null);`).join('\n')}
    grant select, insert on all tables in schema public to anon;
  `,
)

test('tables called like types that every schema has leave the schema readable', async () => {
  const { data } = await world.graphql.ask(getIntrospectionQuery())
  const schema = buildClientSchema(data as IntrospectionQuery)
  expect(validateSchema(schema)).toEqual([])
  const query = `query ($first: Int, $after: Cursor, $day: Date) {
    bookCollection(first: $first, after: $after, filter: {day: {eq: $day}, title: {is: NOT_NULL}}, orderBy: [{id: AscNullsLast}]) {
      edges { cursor node { nodeId title day } }
      pageInfo { hasNextPage endCursor }
    }
  }`
  expect(validate(schema, parse(query))).toEqual([])
  expect(await world.graphql.ask(query, { first: 1 })).toMatchObject({ data: { bookCollection: { edges: [{ node: { title: 'Emma' } }] } } })
})

test('and are read themselves', async () => {
  for (const name of ['date', 'time', 'cursor', 'opaque'])
    expect(await world.graphql.ask(`{ ${name}Collection { edges { node { id } } } }`)).toEqual({
      data: { [`${name}Collection`]: { edges: [{ node: { id: 1 } }] } },
    })
})
