import pg from 'pg'
import { expect } from 'vitest'
import { freePort } from '../../../demo/own-service.js'
import { failure } from '../../bytes/fault-server.ts'
import { type MemoryS3, startMemoryS3 } from '../../bytes/memory-s3.ts'
import type { Attack } from '../attack.ts'
import { type AttackedService, startAttackedService } from '../attacked-service.ts'
import { type Answer, headerOf, request, send } from '../raw.ts'

const MIB = 2 ** 20
const WAITING = 20_000

type Ask = (method: string, target: string, body?: string | object, headers?: readonly (readonly [string, string])[]) => Promise<Answer>

/** With the service key, unless the headers say otherwise. */
const asker =
  ({ port, keys }: AttackedService): Ask =>
  async (method, target, body = '', headers = [['Authorization', `Bearer ${keys.serviceKey}`]]) => {
    const json = typeof body === 'object'
    const all = [...headers, ['Content-Type', json ? 'application/json' : 'text/plain'] as const]
    const { answers } = await send(port, request(method, target, all, json ? JSON.stringify(body) : body), { patience: 20_000 })
    if (!answers[0]) throw new Error(`${method} ${target} was not answered`)
    return answers[0]
  }

const onS3 = (s3: MemoryS3): Readonly<Record<string, string>> => ({
  STOWAGE_STORE: 's3',
  STOWAGE_S3_BUCKET: s3.bucket,
  STOWAGE_S3_ENDPOINT: s3.endpoint,
  STOWAGE_S3_PATH_STYLE: 'on',
  STOWAGE_S3_CALL_LIMIT: '2s',
  STOWAGE_SMALL_OBJECT_CACHE: '0',
  AWS_ACCESS_KEY_ID: 'only-for-tests',
  AWS_SECRET_ACCESS_KEY: 'only-for-tests',
})

/** Objects are kept, and twenty thousand versions wait for a store that is away, and then for one that removes nothing. */
async function outbox(): Promise<void> {
  const s3 = await startMemoryS3()
  const service = await startAttackedService(onS3(s3), ['--expose-gc'])
  const db = new pg.Client({ connectionString: service.keys.databaseUrl })
  try {
    await db.connect()
    const ask = asker(service)
    const put = (key: string) => ask('POST', `/object/store/${key}`, `content of ${key}`)
    const read = (key: string) => ask('GET', `/object/authenticated/store/${key}`)
    const waiting = async () => Number((await db.query(`select count(*) from stowage.outbox`)).rows[0].count)
    const keep = Array.from({ length: 20 }, (_, i) => `keep-${i}`)
    const leave = Array.from({ length: 20 }, (_, i) => `leave-${i}`)

    expect((await ask('POST', '/bucket', { name: 'store' })).status).toBe(200)
    for (const key of [...keep, ...leave]) expect((await put(key)).status).toBe(200)
    const beside = s3.count() - keep.length - leave.length
    const { heldBytes: before } = await service.ask(true)

    s3.fail(() => 'cut')
    expect((await ask('DELETE', '/object/store', { prefixes: leave })).status).toBe(200)
    const { rows } = await db.query<{ version: string }>(
      `insert into stowage.outbox (version, reason) select gen_random_uuid(), 'superseded' from generate_series(1, ${WAITING}) returning version`,
    )
    for (const { version } of rows) s3.add(`${version.slice(0, 2)}/${version.slice(2, 4)}/${version}`, Buffer.alloc(1))
    for (const refused of [await put('new'), await read('keep-0')]) {
      expect(JSON.parse(refused.body.toString())).toMatchObject({ statusCode: '503' })
      expect(headerOf(refused, 'retry-after')).toMatch(/^\d+$/)
    }
    expect((await ask('GET', '/bucket')).status).toBe(200)
    const looks = s3.tries('GetObject')
    await expect.poll(() => s3.tries('GetObject'), { timeout: 60_000 }).toBeGreaterThan(looks + 10)
    // and what the refused upload may have left
    expect([await waiting(), s3.removals.length]).toEqual([WAITING + leave.length + 1, 0])

    s3.fail((operation) => (operation === 'DeleteObjects' ? failure(500, 'InternalError') : null))
    await expect.poll(() => s3.tries('DeleteObjects'), { timeout: 60_000 }).toBeGreaterThan(20)
    for (const key of keep) expect((await read(key)).body.toString()).toBe(`content of ${key}`)
    expect((await put('new')).status).toBe(200)
    const { heldBytes: during } = await service.ask(true)
    expect(during - before, 'bytes held for what waits').toBeLessThan(16 * MIB)

    s3.fail(() => null)
    await expect.poll(waiting, { timeout: 60_000, interval: 200 }).toBe(0)
    expect(s3.count()).toBe(beside + keep.length + 1)
    expect(s3.removals.length).toBeGreaterThanOrEqual(WAITING + leave.length)
    for (const key of [...keep, 'new']) expect((await read(key)).body.toString()).toBe(`content of ${key}`)
    // removing them once more harms nobody
    await db.query(`insert into stowage.outbox (version, reason) select v::uuid, 'superseded' from unnest($1::text[]) v`, [
      rows.slice(0, 1_000).map(({ version }) => version),
    ])
    await expect.poll(waiting, { timeout: 60_000, interval: 200 }).toBe(0)
    expect(s3.count()).toBe(beside + keep.length + 1)
    expect((await service.ask()).faults).toEqual([])
  } finally {
    await db.end().catch(() => undefined)
    await service.stop()
    await s3.close()
  }
}

const WORD = 'metricword'
/** Series there may be whatever is asked: routes, statuses and stages are few. */
const MOST_SERIES = 1_000

/** Names of everything that has names, each of them new, in requests that are answered and in such that are not. */
async function labels(): Promise<void> {
  const metricsPort = await freePort()
  const service = await startAttackedService({ STOWAGE_METRICS_PORT: String(metricsPort) })
  try {
    const ask = asker(service)
    const token = `${Buffer.from(JSON.stringify({ alg: 'HS256', kid: WORD })).toString('base64url')}.e30.x`
    const authorized = ['Authorization', `Bearer ${service.keys.serviceKey}`] as const
    const makeBucket = (n: string) => ask('POST', '/bucket', { name: `${WORD}-${n}` })
    const kinds: readonly ((n: string) => Promise<unknown>)[] = [
      (n) => ask('POST', `/object/${WORD}-${n}/${WORD}/${n}.txt`, 'x'),
      (n) => ask('GET', `/object/public/${WORD}-${n}/${WORD}/${n}.txt`),
      (n) => ask('GET', `/${WORD}/${n}?${WORD}${n}=${n}`),
      (n) => ask('PROPFIND', `/storage/v1/${WORD}${n}`),
      (n) => ask('POST', `/graphql/v1/${WORD}${n}`, { query: '{__typename}' }),
      (n) =>
        ask('GET', '/bucket', '', [
          ['Authorization', `Bearer ${token.replace('e30', Buffer.from(`{"role":"${WORD}${n}"}`).toString('base64url'))}`],
        ]),
      (n) =>
        ask('GET', '/bucket', '', [
          authorized,
          ['User-Agent', `${WORD}${n}`],
          ['X-Request-Id', `${WORD}${n}`],
          ['Traceparent', `${WORD}${n}`],
        ]),
      (n) =>
        ask('POST', '/graphql/v1', { query: `query ${WORD}${n}{${WORD}${n}:__typename ${WORD}x${n}}`, operationName: `${WORD}${n}` }, [
          authorized,
          ['apiKey', service.keys.anonKey],
        ]),
    ]
    const series = async (): Promise<readonly string[]> => {
      const { answers } = await send(metricsPort, request('GET', '/metrics'))
      expect(answers[0]?.status).toBe(200)
      const text = answers[0]?.body.toString() ?? ''
      expect(text, 'words of callers in the metrics').not.toContain(WORD)
      return text.split('\n').flatMap((line) => (line === '' || line.startsWith('#') ? [] : [line.replace(/ \S+$/, '')]))
    }
    const round = async (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        const n = i.toString(36)
        await makeBucket(n)
        await Promise.all(kinds.map((kind) => kind(n)))
      }
    }
    await round(0, 10)
    const first = await series()
    await round(10, 200)
    const last = await series()
    expect(last.length).toBeLessThan(MOST_SERIES)
    expect(
      last.filter((one) => !first.includes(one)),
      'series that came with new names alone',
    ).toEqual([])
  } finally {
    await service.stop()
  }
}

/** What others make grow: a list of things to do, a list of things that are counted. Each with a service of its own. */
export const GROWTH: readonly Attack[] = [
  {
    id: 'RX-10',
    what: 'twenty thousand removals wait for a store that is away: memory is bounded, and then they are done, once and for all',
    play: outbox,
  },
  { id: 'RX-12', what: 'two thousand requests whose every name is new make no metric more', play: labels },
]
