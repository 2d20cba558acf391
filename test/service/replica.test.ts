import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createService, type Service } from '../../src/service/create-service.ts'
import { crowd } from '../support/crowd.ts'
import { askOnce, type OwnServer, ownServer, PASSWORD } from '../support/own-server.ts'

const SECRET = 'a secret of the tests with a standby'
const MAX_LAG_MS = 6_000
let primary: OwnServer
let standby: OwnServer
let folder: string
let a: Service
let b: Service

beforeAll(async () => {
  primary = await ownServer('primary')
  primary.allow(['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'])
  primary.configure(['wal_level=replica', 'max_wal_senders=4', `wal_keep_size='64MB'`])
  await primary.start()
  await primary.stop()
  standby = await ownServer('standby', primary)
  standby.configure([
    'hot_standby=on',
    `primary_conninfo='host=127.0.0.1 port=${primary.port} user=postgres password=''${PASSWORD}'''`,
    `wal_retrieve_retry_interval='200ms'`,
  ])
  await writeFile(join(standby.folder, 'cluster/standby.signal'), '')
  await primary.start()
  await standby.start()
  folder = await mkdtemp(join(tmpdir(), 'replica-'))
  const settings = {
    ...{ PORT: '0', STOWAGE_DATA: folder, DATABASE_URL: primary.url(), DATABASE_REPLICA_URL: standby.url(), JWT_SECRET: SECRET },
    ...{ STOWAGE_REPLICA_MAX_LAG: `${MAX_LAG_MS}ms`, STOWAGE_LOG_LEVEL: 'silent' },
  }
  a = await createService(settings)
  b = await createService(settings)
  await askOnce(
    primary.url(),
    `create table note (id int primary key, text text);
    grant all on note to authenticated, anon;
    create function "onStandby"() returns boolean stable language sql as 'select pg_is_in_recovery()'`,
  )
}, 120_000)
afterAll(async () => {
  standby?.signal('SIGCONT')
  await a?.stop()
  await b?.stop()
  await standby?.remove()
  await primary?.remove()
  await rm(folder, { recursive: true, force: true })
})

const tokenOf = (subject: string) =>
  new SignJWT({ role: 'authenticated', sub: subject })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(SECRET))

/** One GraphQL request; the header that tells what was written comes back with the data. */
async function ask(at: Service, who: string, query: string, headers: Record<string, string> = {}) {
  const token = who === 'anon' ? at.anonKey : await tokenOf(who)
  const answer = await fetch(`${at.baseUrl}/graphql/v1`, {
    method: 'POST',
    headers: { apikey: at.anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  })
  const { data, errors, message } = (await answer.json()) as { data?: Record<string, unknown>; errors?: unknown; message?: string }
  return { status: answer.status, data, errors, message, written: answer.headers.get('stowage-written') }
}

const where = async (at: Service, who: string) => (await ask(at, who, '{ onStandby }')).data?.onStandby
/** Whether the row is there for whoever asks. */
const sees = async (at: Service, who: string, id: number, headers?: Record<string, string>): Promise<boolean> => {
  const { data } = await ask(at, who, `{ noteCollection(filter: { id: { eq: ${id} } }) { edges { node { id } } } }`, headers)
  const { noteCollection } = data as { readonly noteCollection: { readonly edges: readonly unknown[] } }
  return noteCollection.edges.length === 1
}
const write = (at: Service, who: string, id: number) =>
  ask(at, who, `mutation { insertIntonoteCollection(objects: [{ id: ${id}, text: "x" }]) { affectedCount } }`)
const replay = (how: 'pause' | 'resume') => askOnce(standby.url(), `select pg_wal_replay_${how}()`)
const usedBy = async (at: Service, who = 'reader') => {
  await expect.poll(() => where(at, who), { timeout: 30_000 }).toBe(true)
}

describe('a standby to read from', { timeout: 120_000 }, () => {
  test('queries go there, mutations do not', async () => {
    await usedBy(a)
    await usedBy(b)
    expect((await write(a, 'first', 1)).errors).toBe(undefined)
  })

  test('whoever wrote reads it at once; others may be behind; and it passes when the standby has caught up', async () => {
    await usedBy(a, 'ann')
    await replay('pause')
    const { written } = await write(a, 'ann', 2)
    expect(written).toMatch(/^\d+$/)
    expect(await sees(a, 'ann', 2)).toBe(true)
    expect(await where(a, 'ann')).toBe(false)
    expect(await sees(a, 'bob', 2)).toBe(false)
    expect(await where(a, 'bob')).toBe(true)

    // another process knows nothing of it, unless it is told
    expect(await sees(b, 'ann', 2)).toBe(false)
    expect(await sees(b, 'ann', 2, { 'stowage-written': written ?? '' })).toBe(true)
    await replay('resume')
    await usedBy(a, 'ann')
    expect(await sees(a, 'ann', 2)).toBe(true)
    expect(await sees(b, 'ann', 2, { 'stowage-written': written ?? '' })).toBe(true)
  })

  test('many write and read at once, and none misses a write of theirs', async () => {
    const work = Array.from({ length: 8 }, async (_, who) => {
      for (let i = 0; i < 25; i += 1) {
        const id = 1_000 + who * 100 + i
        expect((await write(a, `w${who}`, id)).errors).toBe(undefined)
        expect(await sees(a, `w${who}`, id)).toBe(true)
      }
    })
    await Promise.all(work)
  })

  test('a listing shows what its caller has uploaded and removed', async () => {
    const headers = { authorization: `Bearer ${a.serviceKey}`, 'content-type': 'application/json' }
    const post = (path: string, body: unknown) => fetch(`${a.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const list = async () =>
      ((await (await post('/object/list/files', { prefix: '' })).json()) as { name: string }[]).map(({ name }) => name)
    expect((await post('/bucket', { name: 'files' })).status).toBe(200)
    await usedBy(a)
    await replay('pause')
    const put = await fetch(`${a.baseUrl}/object/files/new.txt`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: 'x',
    })
    expect(put.headers.get('stowage-written')).toMatch(/^\d+(,\d+)*$/)
    expect(await list()).toEqual(['new.txt'])
    expect(
      (await fetch(`${a.baseUrl}/object/files/new.txt`, { method: 'DELETE', headers: { authorization: headers.authorization } })).status,
    ).toBe(200)
    expect(await list()).toEqual([])
    await replay('resume')
  })

  test('a schema that the standby does not have yet is read from the primary', async () => {
    await usedBy(a)
    await replay('pause')
    await askOnce(primary.url(), 'alter table note add column later text')
    const { data, errors } = await ask(a, 'reader', '{ noteCollection(first: 1) { edges { node { later } } } }')
    expect([data, errors]).toEqual([{ noteCollection: { edges: [{ node: { later: null } }] } }, undefined])
    await replay('resume')
    await usedBy(a)
  })

  test.each(['x', '0', '-1', '1,,2', '99999999999999999999', Array(40).fill('1').join(',')])(
    'a header of %s is refused',
    async (header) => {
      const { status, message, errors } = await ask(a, 'reader', '{ onStandby }', { 'stowage-written': header })
      expect([status, JSON.stringify(message ?? errors)]).toEqual([400, expect.stringContaining('stowage-written')])
    },
  )

  test('a number that nobody was given is read from the primary, and does no harm', async () => {
    const { data } = await ask(a, 'reader', '{ onStandby }', { 'stowage-written': '999999999999999999' })
    expect(data).toEqual({ onStandby: false })
    expect(await where(a, 'reader')).toBe(true)
  })

  test('one that is too far behind is left until it has caught up', async () => {
    await replay('pause')
    await write(a, 'writer', 3_000)
    await expect.poll(() => where(a, 'reader'), { timeout: MAX_LAG_MS + 15_000 }).toBe(false)
    expect(await sees(a, 'reader', 3_000)).toBe(true)
    await replay('resume')
    await usedBy(a)
  })

  test('one that freezes or ends costs no answer, and is used again when it is back', async () => {
    const asked = async (until: () => Promise<boolean>) => {
      const slowest = { ms: 0 }
      for (let i = 0; i < 200; i += 1) {
        const startedAt = performance.now()
        const { status, errors } = await ask(a, 'reader', '{ onStandby }')
        expect([status, errors]).toEqual([200, undefined])
        slowest.ms = Math.max(slowest.ms, performance.now() - startedAt)
        if (await until()) break
      }
      return slowest.ms
    }
    standby.signal('SIGSTOP')
    await askOnce(primary.url(), 'select pg_sleep(0.1)')
    await asked(async () => (await where(a, 'reader')) === false)
    standby.signal('SIGCONT')
    await usedBy(a)
    await standby.stop()
    expect(await asked(async () => (await where(a, 'reader')) === false)).toBeLessThan(6_000 * crowd())
    await standby.start()
    await usedBy(a)
  })

  test('one that was promoted is no copy any more', async () => {
    await askOnce(standby.url(), 'select pg_promote()')
    await expect.poll(() => askOnce(standby.url(), 'select pg_is_in_recovery()')).toBe(false)
    await askOnce(standby.url(), `insert into note (id) values (9999)`)
    await expect.poll(() => sees(a, 'reader', 9_999), { timeout: 5_000 * crowd() }).toBe(false)
    await write(a, 'writer', 4_000)
    expect(await sees(a, 'reader', 4_000)).toBe(true)
  })
})
