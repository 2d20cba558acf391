import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, validateSchema } from 'graphql'
import { expect, test } from 'vitest'
import { graphqlWorld } from '../graphql-world.ts'

const world = graphqlWorld(
  'odd_names',
  `
    comment on schema public is '@graphql({"inflect_names": true, "introspection": true})';
    create type "my-enum" as enum ('a', 'b');
    create type "größe" as enum ('klein');
    create type named as enum ('a');
    comment on type named is '@graphql({"name": "1 bad"})';
    create type "good one" as enum ('x');
    comment on type "good one" is '@graphql({"name": "Good"})';
    create table thing (id int primary key, one "my-enum", two "größe", three named, four "good one", many "my-enum"[]);
    insert into thing values (1, 'b', 'klein', 'a', 'x', '{a,b}');
    grant all on thing to anon;
  `,
)

test('enums whose type has a name that GraphQL does not know are opaque, and tools can read the schema', async () => {
  const { data, errors } = await world.graphql.ask(getIntrospectionQuery())
  expect(errors).toBeUndefined()
  const schema = buildClientSchema(data as IntrospectionQuery)
  expect(validateSchema(schema)).toEqual([])
  const types = ['one', 'two', 'three', 'four'].map((name) => {
    const type = schema.getType('Thing')
    return type && 'getFields' in type ? String(type.getFields()[name]?.type) : null
  })
  expect(types).toEqual(['Opaque', 'Opaque', 'Opaque', 'Good'])
})

test('they are read, compared and written as text', async () => {
  expect(await world.graphql.ask('{ thingCollection(filter: {one: {eq: "b"}}) { edges { node { one two three four many } } } }')).toEqual({
    data: { thingCollection: { edges: [{ node: { one: 'b', two: 'klein', three: 'a', four: 'x', many: ['a', 'b'] } }] } },
  })
  expect(await world.graphql.ask('mutation { updateThingCollection(set: {one: "a"}, filter: {id: {eq: 1}}) { records { one } } }')).toEqual(
    { data: { updateThingCollection: { records: [{ one: 'a' }] } } },
  )
})
