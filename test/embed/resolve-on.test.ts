import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGraphql, installExtension } from '../../src/index.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

let database: FreshDatabase
let client: pg.Client

beforeAll(async () => {
  database = await freshDatabase('embed')
  client = await database.connect()
})
afterAll(() => database.drop())

const graphql = createGraphql()
const ask = async (query: string): Promise<unknown> => JSON.parse(await graphql.resolveOn(client, { query }))
const names = async (): Promise<unknown[]> => (await client.query('select name from author order by id')).rows.map((row) => row.name)
const insert = (id: number, name: string): Promise<unknown> =>
  ask(`mutation { insertIntoauthorCollection(objects: [{ id: ${id}, name: "${name}" }]) { affectedCount } }`)

describe('resolveOn', () => {
  it('says what to do where the extension is missing', async () => {
    await expect(ask('{ __typename }')).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'ExtensionMissing',
      message: expect.stringContaining('create extension stowage_graphql'),
    })
  })

  it('commits a mutation by itself where no transaction is open', async () => {
    await installExtension(client)
    await client.query('create table author (id int primary key, name text not null)')
    expect(await insert(1, 'Ada')).toEqual({ data: { insertIntoauthorCollection: { affectedCount: 1 } } })
    await client.query('begin')
    await client.query('rollback')
    expect(await names()).toEqual(['Ada'])
  })

  it('stays in the transaction that is open, and leaves it usable after a mutation that failed', async () => {
    await client.query('begin')
    await insert(2, 'Ben')
    expect(await insert(1, 'Cleo')).toMatchObject({ data: null, errors: [{ extensions: { code: '23505' } }] })
    await insert(3, 'Dora')
    expect(await names()).toEqual(['Ada', 'Ben', 'Dora'])
    await client.query('rollback')
    expect(await names()).toEqual(['Ada'])
  })

  it('sees changes of the schema that are not committed, and forgets them with the transaction', async () => {
    const born = '{ authorCollection { edges { node { name born } } } }'
    const unknown = { errors: [{ message: expect.stringContaining('born') }] }
    expect(await ask(born)).toMatchObject(unknown)
    await client.query('begin')
    await client.query('alter table author add column born int default 1815')
    expect(await ask(born)).toEqual({ data: { authorCollection: { edges: [{ node: { name: 'Ada', born: 1815 } }] } } })
    await client.query('rollback')
    expect(await ask(born)).toMatchObject(unknown)
  })

  it('asks as the role that is set', async () => {
    await client.query('create role reader; grant usage on schema public, stowage_graphql to reader; grant select (id) on author to reader')
    await client.query('begin; set local role reader')
    expect(await ask('{ authorCollection { edges { node { id } } } }')).toEqual({
      data: { authorCollection: { edges: [{ node: { id: 1 } }] } },
    })
    expect(await ask('{ authorCollection { edges { node { name } } } }')).toMatchObject({
      errors: [{ message: expect.stringContaining('name') }],
    })
    await client.query('rollback; drop owned by reader; drop role reader')
  })
})
