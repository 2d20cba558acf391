import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loginPassword } from '../../src/auth/login-password.ts'
import { createService, type Service } from '../../src/service/create-service.ts'
import { askOnce, type OwnServer, ownServer } from '../support/own-server.ts'
import { findPgbouncer, type Pgbouncer, pgbouncer } from '../support/pgbouncer.ts'

const found = findPgbouncer()
if (!found) process.stdout.write('SKIPPED: no pgbouncer on this machine (apt-get install pgbouncer, or PGBOUNCER=/path)\n')
const { program, keepsNames } = found ?? { program: '', keepsNames: false }
const KEEPING = keepsNames ? ['max_prepared_statements = 100'] : []

const SECRET = 'a secret of the pooler tests, long enough'
let server: OwnServer
let folder: string
let bouncer: Pgbouncer | undefined
let service: Service | undefined
beforeAll(async () => {
  if (!found) return
  server = await ownServer('pooler')
  server.allow(['host all all 127.0.0.1/32 scram-sha-256'])
  await server.start()
  folder = await mkdtemp(join(tmpdir(), 'pooler-'))
}, 60_000)
afterEach(async () => {
  await service?.stop()
  await bouncer?.stop()
  service = undefined
  bouncer = undefined
})
afterAll(async () => {
  await server?.remove()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function serveThrough(lines: readonly string[], settings: Record<string, string> = {}): Promise<Service> {
  bouncer = await pgbouncer(program, server, lines)
  service = await createService({
    ...{ PORT: '0', STOWAGE_DATA: folder, DATABASE_URL: bouncer.url, STOWAGE_LOG_LEVEL: 'silent' },
    ...{ JWT_SECRET: SECRET, ...settings },
  })
  return service
}

/** Every kind of work at once, more of it than the pooler has connections: each answer must be whoever asked for it. */
async function work(at: Service, tag: string): Promise<void> {
  const headers = { authorization: `Bearer ${at.serviceKey}`, apikey: at.serviceKey, 'content-type': 'application/json' }
  const post = (path: string, body: unknown, as = headers) =>
    fetch(`${at.baseUrl}${path}`, { method: 'POST', headers: as, body: JSON.stringify(body) })
  expect((await post('/bucket', { name: tag, public: true })).status).toBe(200)
  await askOnce(server.url(), `create table "${tag}" (id int primary key, name text)`)
  await askOnce(server.url(), `grant all on "${tag}" to anon, service_role`)
  const anon = { ...headers, authorization: `Bearer ${at.anonKey}`, apikey: at.anonKey }
  const one = async (i: number): Promise<void> => {
    const put = await fetch(`${at.baseUrl}/object/${tag}/${i}.txt`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: `text ${i}`,
    })
    expect([put.status, i]).toEqual([200, i])
    const insert = `mutation { insertInto${tag}Collection(objects: [{ id: ${i}, name: "row ${i}" }]) { records { name } } }`
    expect(await (await post('/graphql/v1', { query: insert })).json()).toEqual({
      data: { [`insertInto${tag}Collection`]: { records: [{ name: `row ${i}` }] } },
    })
    const [text, row, refused] = await Promise.all([
      fetch(`${at.baseUrl}/object/public/${tag}/${i}.txt`).then((answer) => answer.text()),
      post('/graphql/v1', { query: `{ ${tag}Collection(filter: { id: { eq: ${i} } }) { edges { node { name } } } }` }, anon).then(
        (answer) => answer.json(),
      ),
      fetch(`${at.baseUrl}/object/${tag}/${i}.txt`, { method: 'POST', headers: { ...anon, 'content-type': 'text/plain' }, body: 'x' }).then(
        (answer) => answer.json(),
      ),
    ])
    expect(text).toBe(`text ${i}`)
    expect(row).toEqual({ data: { [`${tag}Collection`]: { edges: [{ node: { name: `row ${i}` } }] } } })
    expect(refused).toMatchObject({ statusCode: '403' })
  }
  for (let at = 0; at < 60; at += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => one(at + i)))
  const listed = await post(`/object/list/${tag}`, { prefix: '', limit: 100 })
  expect(((await listed.json()) as unknown[]).length).toBe(60)
}

const loginSettings = async (): Promise<string> =>
  String(await askOnce(server.url(), `select coalesce(rolconfig::text, '') from pg_roles where rolname = 'stowage_web'`))

/** Asked as the service's own login, so that the pooler hands us one of the connections that the work was done on. What the start tries out does not count. */
async function namesInUse(): Promise<boolean> {
  const url = new URL(bouncer?.url ?? '')
  url.username = 'stowage_web'
  url.password = loginPassword(SECRET, 'stowage_web')
  return Number(await askOnce(url.href, `select count(*) from pg_prepared_statements where statement not like '/* names.%'`)) > 0
}

describe.skipIf(!found)('behind pgbouncer in transaction mode', { timeout: 60_000 }, () => {
  test('that refuses the options of a session, with few connections: the roles bring them', async () => {
    const at = await serveThrough(['default_pool_size = 3', ...KEEPING])
    await work(at, 'refusing')
    expect(await loginSettings()).toContain('jit=off')
    expect(await askOnce(server.url(), `select count(*)::int from pg_stat_activity where usename = 'stowage_web'`)).toBeLessThanOrEqual(3)
  })

  test('that passes them over in silence', async () => {
    await askOnce(server.url(), 'alter role stowage_web reset all')
    await work(await serveThrough(['ignore_startup_parameters = options,extra_float_digits', ...KEEPING]), 'silent')
    expect(await loginSettings()).toContain('jit=off')
  })

  test('names are used where the pooler keeps them, and left where it does not, whatever the setting', async () => {
    await work(await serveThrough(['default_pool_size = 2', ...KEEPING]), 'named')
    expect(await namesInUse()).toBe(keepsNames)
  })

  test('with names switched off', async () => {
    await work(await serveThrough(['default_pool_size = 2', ...KEEPING], { STOWAGE_PREPARED_STATEMENTS: 'off' }), 'unnamed')
    expect(await namesInUse()).toBe(false)
  })

  test('a single connection of the pooler', async () => {
    await work(await serveThrough(['default_pool_size = 1', ...KEEPING]), 'single')
  })
})
