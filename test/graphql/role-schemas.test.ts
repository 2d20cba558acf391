import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readGrants, reflectCatalog } from '../../src/catalog/reflect.ts'
import { StaleCatalog } from '../../src/catalog/stale-catalog.ts'
import { TURNS } from '../../src/catalog/turns.ts'
import { createRoleSchemas, type RoleSchemas } from '../../src/graphql/role-schemas.ts'
import { type RoleName, roleName } from '../../src/std/brand.ts'
import { type FreshDatabase, freshDatabase, withClient } from '../support/postgres.ts'
import { type GraphqlOn, graphqlOn } from './graphql-on.ts'

const TENANTS = Array.from({ length: 100 }, (_, i) => `schemas_tenant_${i}`)
const LATE = 'schemas_late'
const [ALICE, BOB, EVE] = ['schemas_alice', 'schemas_bob', 'schemas_eve'].map(roleName) as [RoleName, RoleName, RoleName]
const SCHEMAS = ['public']

let database: FreshDatabase
let graphql: GraphqlOn
let schemaOf: RoleSchemas
/** roles that were asked about, a list a statement */
let asked: (readonly RoleName[])[] = []

const run = (sql: string) => withClient(database.url, (client) => client.query(sql))
const current = () => reflectCatalog(graphql.pool.query, SCHEMAS)

beforeAll(async () => {
  database = await freshDatabase('role_schemas')
  await run(`
    ${[ALICE, BOB, EVE, ...TENANTS].map((role) => `create role ${role} nologin;`).join('\n')}
    create extension stowage_graphql;
    grant usage on schema public to ${ALICE}, ${BOB}, ${EVE}, ${TENANTS.join(', ')};
    create type mood as enum ('calm', 'wild');
    revoke usage on type mood from public;
    grant usage on type mood to ${EVE};
    create table open (id int primary key, label text, moods mood[]);
    create table narrow (id int primary key, shown text, hidden text);
    create table closed (id int primary key);
    insert into open values (1, 'one', '{calm}');
    grant select, insert on open to ${ALICE}, ${BOB}, ${TENANTS.join(', ')};
    grant select on open to ${EVE};
    grant select (id, shown), update (shown) on narrow to ${EVE};
    create function secret() returns int language sql stable as 'select 1';
    revoke execute on function secret() from public;
    grant execute on function secret() to ${EVE}
  `)
  graphql = graphqlOn(database.url, { maxConnections: 2 })
})
afterAll(async () => {
  await graphql.end()
  await run(
    `drop owned by ${[ALICE, BOB, EVE, ...TENANTS].join(', ')}; drop role if exists ${[LATE, ALICE, BOB, EVE, ...TENANTS].join(', ')}`,
  )
  await database.drop()
})
beforeEach(() => {
  asked = []
  schemaOf = createRoleSchemas({
    readGrants: (catalog, roles) => {
      asked.push(roles)
      return readGrants(graphql.pool.query, catalog, SCHEMAS, roles)
    },
    turns: TURNS,
  })
})

describe('what a role may do', () => {
  test('is what PostgreSQL says: relations, single columns, types, functions', async () => {
    const catalog = await current()
    const [alice, eve] = [await schemaOf(catalog, ALICE), await schemaOf(catalog, EVE)]
    const named = [...eve.entities.values()].map(({ name, fields }) => [name, [...fields.keys()]])
    expect([...alice.entities.keys()]).toEqual(['open'])
    expect(alice.entities.get('open')?.mayInsert).toBe(true)
    expect(alice.entities.get('open')?.fields.has('moods')).toBe(false)
    expect(Object.fromEntries(named)).toEqual({ open: ['nodeId', 'id', 'label', 'moods'], narrow: ['nodeId', 'id', 'shown'] })
    expect(eve.entities.get('open')?.mayInsert).toBe(false)
    expect([...(eve.entities.get('narrow')?.updatable.keys() ?? [])]).toEqual(['shown'])
    expect([alice.query.has('secret'), eve.query.has('secret')]).toEqual([false, true])
  })

  test('is read when the role asks, once', async () => {
    const catalog = await current()
    expect(asked).toEqual([])
    const schema = await schemaOf(catalog, ALICE)
    expect(await schemaOf(catalog, ALICE)).toBe(schema)
    expect(asked).toEqual([[ALICE]])
  })

  test('is read for all who wait in one statement, and kept once for all who may do the same', async () => {
    const catalog = await current()
    const all = await Promise.all([ALICE, BOB, EVE, ...TENANTS.map(roleName)].map((role) => schemaOf(catalog, role)))
    expect(new Set(all).size).toBe(2)
    expect(asked.map(({ length }) => length)).toEqual([103])
  })

  test('of a role that is not there is nothing', async () => {
    const catalog = await current()
    const schema = await schemaOf(catalog, roleName(LATE))
    expect([schema.entities.size, schema.introspection]).toEqual([0, false])
    await run(`create role ${LATE} nologin in role ${ALICE}`)
    expect([...(await schemaOf(catalog, roleName(LATE))).entities.keys()]).toEqual(['open'])
  })

  test('of an older schema is not answered', async () => {
    const catalog = await current()
    await run('create table later (id int primary key)')
    await expect(schemaOf(catalog, ALICE)).rejects.toThrow(StaleCatalog)
    expect((await schemaOf(await current(), ALICE)).entities.has('open')).toBe(true)
  })
})

test('a grant shows at the next request, also for a role that has never asked', async () => {
  const ask = (role: string) => graphql.ask('{ closedCollection { edges { node { id } } } }', {}, { role })
  expect((await ask(ALICE)).errors).toBeDefined()
  await run(`grant select on closed to ${ALICE}, ${BOB}`)
  expect(await ask(BOB)).toEqual({ data: { closedCollection: { edges: [] } } })
  expect(await ask(ALICE)).toEqual({ data: { closedCollection: { edges: [] } } })
  await run(`revoke select on closed from ${ALICE}`)
  expect((await ask(ALICE)).errors).toBeDefined()
})

test('a hundred roles that ask at once after a change are all answered', async () => {
  await run('create table yet_another (id int primary key)')
  const answers = await Promise.all(TENANTS.map((role) => graphql.ask('{ openCollection { edges { node { label } } } }', {}, { role })))
  for (const answer of answers) expect(answer).toEqual({ data: { openCollection: { edges: [{ node: { label: 'one' } }] } } })
})
