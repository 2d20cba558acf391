import { beforeEach, describe, expect, test } from 'vitest'
import { withClient } from '../support/postgres.ts'
import { graphqlWorld } from './graphql-world.ts'

const world = graphqlWorld(
  'required_variables',
  `create table note (id int primary key, text text); grant select, update, delete on note to anon;`,
)
beforeEach(() => withClient(world.database.url, (client) => client.query(`truncate note; insert into note values (7, 'a')`)))

const left = () => world.graphql.ask('{ noteCollection { edges { node { id text } } } }')
const UNTOUCHED = { data: { noteCollection: { edges: [{ node: { id: 7, text: 'a' } }] } } }

describe.each([
  ['update', 'updatenoteCollection(set: {text: "b"}, filter: FILTER) { affectedCount }'],
  ['delete', 'deleteFromnoteCollection(filter: FILTER) { affectedCount }'],
])('an %s whose condition needs a variable', (_, mutation) => {
  const asked = (declared: string, filter: string, variables: unknown) =>
    world.graphql.ask(`mutation (${declared}) { ${mutation.replace('FILTER', filter)} }`, variables)

  test.each([
    ['$id: Int!', '{id: {eq: $id}}', {}, 'id', 'Int!'],
    ['$id: Int!', '{id: {eq: $id}}', { ID: 99 }, 'id', 'Int!'],
    ['$id: Int!', '{id: {eq: $id}}', { id: null }, 'id', 'Int!'],
    ['$id: Int!', '{or: [{id: {eq: $id}}, {text: {eq: "z"}}]}', {}, 'id', 'Int!'],
    ['$ids: [Int!]!', '{id: {in: $ids}}', {}, 'ids', '[Int!]!'],
    ['$where: noteFilter!', '$where', {}, 'where', 'noteFilter!'],
  ])('that must be given is refused without it: %s in %s', async (declared, filter, variables, name, type) => {
    // first with it, so that a plan is there
    await asked(declared, filter, { id: 1, ids: [1], where: { id: { eq: 1 } } })
    expect(await asked(declared, filter, variables)).toMatchObject({
      data: null,
      errors: [{ message: `Variable "$${name}" of required type "${type}" was not provided.` }],
    })
    expect(await left()).toEqual(UNTOUCHED)
  })

  test('that has a default, or need not be given, is as pg_graphql has it', async () => {
    expect(await asked('$id: Int! = 1', '{id: {eq: $id}}', {})).toMatchObject({
      data: { [mutation.split('(')[0] ?? '']: { affectedCount: 0 } },
    })
    expect(await asked('$id: Int', '{id: {eq: $id}}', {})).toMatchObject({ data: { [mutation.split('(')[0] ?? '']: { affectedCount: 1 } } })
  })
})
