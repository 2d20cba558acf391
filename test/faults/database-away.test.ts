import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seeded } from '../../bench/seeded.js'
import { createService, type Service } from '../../src/service/create-service.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/service/embedded-postgres.ts'
import { crowd } from '../support/crowd.ts'
import { createFlakyWire, type FlakyWire } from './flaky-wire.ts'

/**
 * The whole service over a wire of ours to a PostgreSQL of ours. Connections used up by others, and many long questions at once, are
 * RX-16 and RX-08 of test/attacks; a single backend that ends or stands still is in test/pg/failure.test.ts.
 */

const HEAVY = process.env.TEST_HEAVY === '1'
const SEED = 20_260_711
const POOLS = { web: 6, service: 6, health: 1 }
const SETTINGS = {
  HOST: '127.0.0.1',
  PORT: '0',
  STOWAGE_LOG_LEVEL: 'silent',
  STOWAGE_WEB_CONNECTIONS: String(POOLS.web),
  STOWAGE_SERVICE_CONNECTIONS: String(POOLS.service),
  STOWAGE_POOL_WAIT: '2s',
  STOWAGE_LOCK_WAIT: '400ms',
  STOWAGE_ANON_TIMEOUT: '600ms',
  STOWAGE_AUTHENTICATED_TIMEOUT: '800ms',
  STOWAGE_SERVICE_TIMEOUT: '1s',
  STOWAGE_SWEEP_GRACE: '1s',
  STOWAGE_SWEEP_INTERVAL: '200ms',
  // the text of every statement is on the wire then
  STOWAGE_PREPARED_STATEMENTS: 'off',
}
/** The wait for a connection, the limit of a role for each of two statements, what a connection is given beyond that, and how often is looked. */
const DEADLINE_MS = 2_000 + 2 * 1_000 + 5_000 + 1_500
const BACK_MS = 2_000

let folder: string
let server: EmbeddedPostgres
let wire: FlakyWire
let service: Service
const startServer = () =>
  startEmbeddedPostgres({
    folder: join(folder, 'server'),
    durable: true,
    extensionFolder: join(import.meta.dirname, '../../extension'),
    onLine: () => {},
  })
/** On another port if somebody took the old one meanwhile: the service does not see it. */
async function startAgain(): Promise<void> {
  server = await startServer()
  wire.aim(server.port)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stowage-away-'))
  server = await startServer()
  wire = await createFlakyWire({ host: '127.0.0.1', port: server.port })
  const url = new URL(server.superuserUrl)
  url.port = String(wire.port)
  service = await createService({ ...SETTINGS, DATABASE_URL: url.href, STOWAGE_DATA: join(folder, 'data') })
  await asOwner(`
    create table public.note (id int primary key, body text);
    insert into public.note select i, 'note ' || i from generate_series(1, 50) i;
    grant select, insert on public.note to anon, authenticated, service_role;
    create policy read_slow on storage.objects for select to anon using (bucket_id <> 'slow' or pg_catalog.pg_sleep(5) is not null)`)
  for (const bucket of ['b', 'slow']) await ask('POST', '/bucket', { name: bucket, public: bucket === 'b' })
  for (const key of ['b/kept', 'slow/kept']) expect((await ask('POST', `/object/${key}`, KEPT)).status).toBe(200)
})
afterAll(async () => {
  wire.letGo()
  await service?.stop()
  await wire?.close()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})
let strays: number
beforeEach(async () => {
  await expectAllWell()
  strays = await strayFiles()
})

const KEPT = randomBytes(5_000)

async function asOwner(text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.superuserUrl })
  await client.connect()
  try {
    const result = await client.query(text)
    return result.rows ?? []
  } finally {
    await client.end()
  }
}

type Answer = { readonly status: number; readonly body: Buffer; readonly headers: Headers; readonly ms: number }

async function ask(
  method: string,
  path: string,
  body?: Buffer | object,
  { key = service.serviceKey, signal }: { readonly key?: string; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const began = performance.now()
  const isBytes = body instanceof Buffer
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${key}`, apikey: key, ...(body && !isBytes ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: isBytes ? body : JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  })
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()), headers: answer.headers, ms: performance.now() - began }
}
const question = (query: string, key = service.anonKey) => ask('POST', '/graphql/v1', { query }, { key })
const NOTES = '{noteCollection(first:3){edges{node{id}}}}'

let uploads = 0

/** One of each kind: as the service, as a caller, of both faces, reading and writing, with and without bytes. */
const KINDS: Readonly<Record<string, () => Promise<Answer>>> = {
  // two at once on one key would be told apart only by who came last
  upload: () => ask('PUT', `/object/b/uploaded-${uploads++ % 50}`, randomBytes(100_000)),
  'public read': () => ask('GET', '/object/public/b/kept'),
  'read as a caller': () => ask('GET', '/object/authenticated/b/kept', undefined, { key: service.anonKey }),
  list: () => ask('POST', '/object/list/b', { prefix: '' }),
  copy: () => ask('POST', '/object/copy', { bucketId: 'b', sourceKey: 'kept', destinationKey: `copy-${Math.random()}` }),
  remove: () => ask('DELETE', '/object/b', { prefixes: ['nothing'] }),
  buckets: () => ask('GET', '/bucket'),
  question: () => question(NOTES),
  mutation: () => question(`mutation{insertIntonoteCollection(objects:[{id:${Math.floor(Math.random() * 2e9)}}]){affectedCount}}`),
}

/** An upload and a copy, at most. */
const UPLOADING = 2

/** Turned away as each face's clients know it, and told to come again. */
function expectTurnedAway(kind: string, { status, body, headers }: Answer): void {
  const shown = `${kind}: ${status} ${body.subarray(0, 300)}`
  expect(status, shown).toBe(503)
  expect(headers.get('retry-after'), shown).toBe('1')
  const said = JSON.parse(body.toString())
  if (kind === 'question' || kind === 'mutation') expect(said.errors[0].extensions.code, shown).toBe('DatabaseUnavailable')
  else expect(said, shown).toMatchObject({ statusCode: '503', code: 'DatabaseUnavailable' })
}

async function expectAllTurnedAway(withinMs: number): Promise<void> {
  const outcomes = await Promise.all(Object.entries(KINDS).map(async ([kind, act]) => [kind, await act()] as const))
  for (const [kind, answer] of outcomes) {
    expectTurnedAway(kind, answer)
    expect(answer.ms, kind).toBeLessThan(withinMs * crowd())
  }
}

async function expectAllWell(): Promise<void> {
  const read = await ask('GET', '/object/public/b/kept')
  expect([read.status, read.body.equals(KEPT)], read.body.subarray(0, 200).toString()).toEqual([200, true])
  const answers = await Promise.all(Object.entries(KINDS).map(async ([kind, act]) => [kind, (await act()).status]))
  expect(answers).toEqual(Object.keys(KINDS).map((kind) => [kind, 200]))
}

const health = async () => [(await ask('GET', '/health/live')).status, (await ask('GET', '/health/ready')).status]

/** From now until everything is answered again. */
async function untilBack(): Promise<number> {
  const began = performance.now()
  const isBack = async () =>
    (await ask('GET', '/object/public/b/kept')).status === 200 && (await question(NOTES)).status === 200 && (await health())[1] === 200
  while (!(await isBack())) {
    if (performance.now() - began > 40_000) throw new Error('not back after 40 s')
    await sleep(50)
  }
  return performance.now() - began
}

/** Ours, by the name that each pool gives itself. */
const backends = async () =>
  Object.fromEntries(
    (
      await asOwner(
        `select application_name as name, count(*)::int as n from pg_stat_activity where application_name like 'stowage %' group by 1`,
      )
    ).map(({ name, n }) => [name, n]),
  )

async function expectNoMoreBackendsThanAllowed(): Promise<void> {
  const { 'stowage web': web = 0, 'stowage service': own = 0, 'stowage health': asked = 0 } = await backends()
  expect([Number(web) <= POOLS.web, Number(own) <= POOLS.service, Number(asked) <= POOLS.health]).toEqual([true, true, true])
}

/** The server and all it has started. */
async function processes(): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(server.pid)])
  return [server.pid, ...stdout.split('\n').map(Number).filter(Boolean)]
}

async function storedFiles(): Promise<number> {
  const names = await readdir(join(folder, 'data/bytes'), { recursive: true })
  return names.filter((name) => /[0-9a-f-]{36}$/.test(name)).length
}

async function strayFiles(): Promise<number> {
  return (await storedFiles()) - Number((await asOwner('select count(*)::int as n from storage.objects'))[0]?.n)
}

/**
 * Uploads that came to nothing are swept, and the sweeper is alive. A reservation need not be on the disk when PostgreSQL crashes: what
 * was arriving just then is found by the daily listing of the store alone (sweeper.test.ts).
 */
async function expectSwept(before: number, arrivingInCrashes = 0): Promise<void> {
  await expect.poll(strayFiles, { timeout: 10_000 * crowd(), interval: 200 }).toBeLessThanOrEqual(before + arrivingInCrashes)
  expect(await strayFiles(), 'a file for every object').toBeGreaterThanOrEqual(0)
}

describe('PostgreSQL', { timeout: 60_000 }, () => {
  test('killed: everybody is turned away at once, and served again when it is back, with the schema of then', async () => {
    process.kill(server.pid, 'SIGKILL')
    await server.exited
    await expect.poll(async () => (await health())[1], { timeout: 3_000 * crowd() }).toBe(503)
    expect(await health()).toEqual([200, 503])
    await expectAllTurnedAway(3_000)
    await startAgain()
    expect(await untilBack()).toBeLessThan(BACK_MS * crowd())
    await asOwner('alter table public.note add column mood text')
    expect(JSON.parse((await question('{noteCollection(first:1){edges{node{mood}}}}')).body.toString()).errors).toBeUndefined()
    await expectAllWell()
    await expectNoMoreBackendsThanAllowed()
    await expectSwept(strays, UPLOADING)
  })

  test('restarted under load, again and again: an answer is right or a 503', async () => {
    const rounds = HEAVY ? 20 : 2
    const outcomes: string[] = []
    let isOver = false
    const lanes = Object.entries(KINDS).map(async ([kind, act]) => {
      while (!isOver) {
        const answer = await act()
        if (answer.status === 503) expectTurnedAway(kind, answer)
        else outcomes.push(`${kind} ${answer.status}`)
        await sleep(answer.status === 503 ? 20 : 5)
      }
    })
    try {
      for (let i = 0; i < rounds; i++) {
        await sleep(300)
        if (i % 2 === 0) await server.stop()
        else {
          process.kill(server.pid, 'SIGKILL')
          await server.exited
        }
        await sleep(100)
        await startAgain()
        expect(await untilBack()).toBeLessThan(BACK_MS * crowd())
      }
    } finally {
      isOver = true
    }
    await Promise.all(lanes)
    expect([...new Set(outcomes)].sort()).toEqual(
      Object.keys(KINDS)
        .map((kind) => `${kind} 200`)
        .sort(),
    )
    await expectNoMoreBackendsThanAllowed()
    await expectSwept(strays, UPLOADING * rounds)
  })

  test('frozen: every request ends by its deadline; thawed: as if nothing had been', async () => {
    const all = await processes()
    const before = wire.connections()
    for (const pid of all) process.kill(pid, 'SIGSTOP')
    try {
      const leavers = Array.from({ length: 60 }, () =>
        ask('GET', '/object/public/b/kept', undefined, { signal: AbortSignal.timeout(200) }).catch(() => 'left'),
      )
      const ready = ask('GET', '/health/ready')
      await expectAllTurnedAway(DEADLINE_MS)
      expect((await ready).ms).toBeLessThan(2_000 * crowd())
      expect((await ready).status).toBe(503)
      await Promise.all(leavers)
      // every one who left sent word to the server, which hears nothing
      await expect
        .poll(() => wire.connections(), { timeout: 8_000 * crowd() })
        .toBeLessThanOrEqual(POOLS.web + POOLS.service + POOLS.health + before)
    } finally {
      for (const pid of all) process.kill(pid, 'SIGCONT')
    }
    expect(await untilBack()).toBeLessThan(BACK_MS * crowd())
    await expectAllWell()
    await expectNoMoreBackendsThanAllowed()
    await expectSwept(strays)
  })
})

describe('the network to it', { timeout: 60_000 }, () => {
  test('gone without a word: every request ends by its deadline; back: as before', async () => {
    wire.hold()
    try {
      await Promise.all([expectAllTurnedAway(DEADLINE_MS), ...Array.from({ length: 10 }, () => health())])
      expect(await health()).toEqual([200, 503])
    } finally {
      wire.letGo()
    }
    expect(await untilBack()).toBeLessThan(BACK_MS * crowd())
    await expectAllWell()
    await expectSwept(strays)
  })

  test('cut at any byte, both ways: an answer is right or a 503, never half a row', async () => {
    const random = seeded(SEED)
    const before = wire.connections()
    wire.cutAt((piece) => (random() < 0.03 ? Math.floor(random() * piece.length) : null))
    const seen = new Map<string, number>()
    try {
      const kinds = Object.entries(KINDS)
      const lane = async (n: number) => {
        for (let i = n; i < (HEAVY ? 2_000 : 200); i += 4) {
          const [kind = '', act] = kinds[i % kinds.length] ?? []
          const answer = await act?.()
          if (!answer) continue
          if (answer.status === 503) expectTurnedAway(kind, answer)
          // a copy or an insert whose answer was lost may have happened
          else if (answer.status !== 200) expect(`${kind} ${answer.status}`).toBe('')
          if (kind === 'public read' && answer.status === 200) expect(answer.body.equals(KEPT)).toBe(true)
          seen.set(String(answer.status), (seen.get(String(answer.status)) ?? 0) + 1)
        }
      }
      await Promise.all([0, 1, 2, 3].map(lane))
    } finally {
      wire.cutAt(null)
    }
    expect([...seen.keys()].sort()).toEqual(['200', '503'])
    expect(await untilBack()).toBeLessThan(BACK_MS * crowd())
    await expectAllWell()
    expect(wire.connections()).toBeLessThanOrEqual(Math.max(before, POOLS.web + POOLS.service + POOLS.health))
    await expectSwept(strays)
  })

  /** Cuts the connection that carries the publication: before it gets through, or once it has, before its answer does; so many times. */
  const cutPublications = (when: 'before' | 'after', times: number) => {
    const publishing = new Set<number>()
    let left = times
    wire.cutAt((piece, direction, connection) => {
      if (direction === 'to the server') {
        const isPublication = piece.includes('ledger.publish_')
        if (isPublication && when === 'before' && left-- > 0) return 0
        if (isPublication) publishing.add(connection)
        return null
      }
      return when === 'after' && publishing.delete(connection) && left-- > 0 ? 0 : null
    })
  }

  test.each([
    ['before', 1, 200],
    ['before', 2, 503],
    ['after', 1, 200],
    ['after', 2, 503],
  ] as const)('cut %s the commit of an upload (%i times): %i, and the object is whole or absent', async (when, times, status) => {
    const key = `committed-${when}-${times}`
    const content = randomBytes(50_000)
    cutPublications(when, times)
    const answer = await ask('POST', `/object/b/${key}`, content)
    wire.cutAt(null)
    expect(answer.status, answer.body.toString()).toBe(status)
    await untilBack()
    // twice lost behind the commit: the answer was "unknown", and it had happened
    const isThere = status === 200 || when === 'after'
    for (let look = 0; look < 3; look++) {
      const read = await ask('GET', `/object/public/b/${key}`)
      expect([read.status === 200, read.status !== 200 || read.body.equals(content)]).toEqual([isThere, true])
      await sleep(300)
    }
    expect((await ask('PUT', `/object/b/${key}`, content)).status).toBe(200)
    await expectSwept(strays)
    expect((await ask('GET', `/object/public/b/${key}`)).body.equals(content)).toBe(true)
  })
})

describe('a slow database', { timeout: 60_000 }, () => {
  test('a lock that somebody holds: who needs it is turned away in time, others and the health are not', async () => {
    const holder = new pg.Client({ connectionString: server.superuserUrl })
    await holder.connect()
    try {
      await holder.query('begin; lock table storage.objects in access exclusive mode')
      const locked = ['public read', 'upload', 'list', 'read as a caller'] as const
      const asked = await Promise.all(
        Array.from({ length: 5 }, () => locked)
          .flat()
          .map((kind) => KINDS[kind]?.()),
      )
      for (const answer of asked) {
        expect(answer?.ms).toBeLessThan(3_000 * crowd())
        expect(JSON.parse(answer?.body.toString() ?? '').code).toBeOneOf(['ResourceLocked', 'DatabaseUnavailable', 'DatabaseTimeout'])
      }
      const others = Promise.all(Array.from({ length: 12 }, () => KINDS['public read']?.()))
      await sleep(50)
      expect(await health()).toEqual([200, 200])
      expect((await question(NOTES)).status).toBe(200)
      await others
      await holder.query('rollback; begin; lock table public.note in access exclusive mode')
      const refused = await question(NOTES)
      expect(refused.ms).toBeLessThan(2_000 * crowd())
      expect(JSON.parse(refused.body.toString()).errors[0].message).toContain('lock timeout')
    } finally {
      await holder.end()
    }
    await expectAllWell()
  })

  test('a policy that sleeps: the role’s own limit ends it', async () => {
    const answer = await ask('GET', '/object/authenticated/slow/kept', undefined, { key: service.anonKey })
    expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([544, 'DatabaseTimeout'])
    expect(answer.ms).toBeLessThan(2_000 * crowd())
    await expectNoMoreBackendsThanAllowed()
  })
})
