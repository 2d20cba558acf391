import { mkdtemp, rename, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { METRICS } from '../../src/observe/metric-table.ts'
import { createService, type Service } from '../../src/service/create-service.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

let database: FreshDatabase
let folder: string
let service: Service | null = null

beforeAll(async () => {
  database = await freshDatabase('lookout')
  folder = await mkdtemp(join(tmpdir(), 'lookout-'))
})
afterEach(async () => {
  await service?.stop()
  service = null
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

async function start(settings: Record<string, string>): Promise<Service> {
  service = await createService({
    DATABASE_URL: database.url,
    STOWAGE_DATA: folder,
    PORT: '0',
    STOWAGE_LOG_LEVEL: 'silent',
    STOWAGE_SWEEP_INTERVAL: '100ms',
    ...settings,
  })
  return service
}

const ask = ({ baseUrl, serviceKey }: Service, path: string, init: RequestInit = {}) =>
  fetch(baseUrl + path, { ...init, headers: { authorization: `Bearer ${serviceKey}`, apikey: serviceKey, ...init.headers } })

const graphql = (to: Service, query: string, headers: Record<string, string> = {}) =>
  ask(to, '/graphql/v1', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ query }) })

const JSON_TYPE = { 'content-type': 'application/json' }

/** One of everything: a bucket, an upload, a read, two equal questions, a wrong address, and a client that leaves. */
async function use(to: Service, bucket: string): Promise<void> {
  const body = JSON.stringify({ name: bucket })
  expect((await ask(to, '/bucket', { method: 'POST', headers: JSON_TYPE, body })).status).toBe(200)
  const content = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(5_000) }
  expect((await ask(to, `/storage/v1/object/${bucket}/a/b.txt`, content)).status).toBe(200)
  expect((await ask(to, `/object/${bucket}/a/b.txt`)).status).toBe(200)
  for (let i = 0; i < 2; i++) expect((await graphql(to, '{ __typename }')).status).toBe(200)
  expect((await ask(to, '/nowhere/secret-name')).status).toBe(404)
}

const scrape = async ({ metricsUrl }: Service, headers: Record<string, string> = {}): Promise<string> =>
  (await fetch(metricsUrl ?? '', { headers })).text()

const numberIn = (text: string, sample: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${sample} `))
  return line === undefined ? undefined : Number(line.slice(sample.length))
}

describe('the metrics of a running service', { timeout: 60_000 }, () => {
  it('tell of everything that happened, and of nothing that was said', async () => {
    const running = await start({ STOWAGE_METRICS_PORT: '0' })
    expect(running.metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
    await use(running, 'harbour')
    // the end of the last answer is counted when its connection has seen it
    await expect
      .poll(async () => numberIn(await scrape(running), 'stowage_requests_total{method="other",route="none",role="none",status="404"}'))
      .toBe(1)
    const text = await scrape(running)
    const value = (sample: string) => numberIn(text, sample)

    expect(value('stowage_requests_total{method="POST",route="/object/:bucketName/*",role="service_role",status="200"}')).toBe(1)
    expect(value('stowage_requests_total{method="POST",route="/graphql/v1",role="service_role",status="200"}')).toBe(2)
    expect(value('stowage_request_seconds_count{route="/graphql/v1"}')).toBe(2)
    expect(value('stowage_plan_lookups_total{found="no"}')).toBe(1)
    expect(value('stowage_plan_lookups_total{found="yes"}')).toBe(1)
    expect(value('stowage_reflection_seconds_count')).toBe(1)
    expect(value('stowage_store_bytes_total{operation="put"}')).toBe(5_000)
    expect(value('stowage_store_bytes_total{operation="get"}')).toBe(5_000)
    expect(value('stowage_network_bytes_total{direction="received"}')).toBeGreaterThan(5_000)
    expect(value('stowage_network_bytes_total{direction="received"}')).toBeLessThan(15_000)
    expect(value('stowage_network_bytes_total{direction="sent"}')).toBeGreaterThan(5_000)
    for (const stage of ['auth', 'plan', 'database', 'bytes'])
      expect(value(`stowage_stage_seconds_count{stage="${stage}"}`)).toBeGreaterThan(1)
    expect(value('stowage_stage_seconds_count{stage="bytes"}')).toBe(2)
    expect(value('stowage_database_trips_total{login="service",outcome="ok"}')).toBeGreaterThan(5)
    expect(value('stowage_database_connections_max{login="web"}')).toBe(20)
    expect(value('stowage_ready')).toBe(1)
    expect(value('stowage_outbox_versions')).toBe(0)
    expect(value('stowage_event_loop_delay_seconds{quantile="1"}')).toBeLessThan(5)
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    for (const said of [running.serviceKey, running.jwtSecret, 'harbour', 'secret-name', 'b.txt']) expect(text).not.toContain(said)
    const silent = Object.values(METRICS).filter(({ name }) => !new RegExp(`^${name}(?:_count)?[{ ]`, 'm').test(text))
    // what need not have happened yet
    const rare = ['log_lines', 'requests_aborted', 'stage_failures', 'sweeps', 'swept_versions'].map((name) => `stowage_${name}_total`)
    expect(silent.filter(({ name }) => !rare.includes(name))).toEqual([])
  })

  it('tell of clients that leave, of questions that fail and of what waits to be swept', async () => {
    const running = await start({ STOWAGE_METRICS_PORT: '0' })
    await use(running, 'waiting')
    expect((await ask(running, '/object/waiting/a/b.txt', { method: 'DELETE' })).status).toBe(200)
    const owner = await database.connect()
    await owner.query(`create function public.slow() returns int language sql volatile as 'select 1 from pg_sleep(60)'`)
    await owner.query('create table public.note (id int primary key)')
    const socket = connect(Number(new URL(running.baseUrl).port), '127.0.0.1')
    socket.write(
      `POST /graphql/v1 HTTP/1.1\r\nHost: x\r\napikey: ${running.serviceKey}\r\nContent-Type: application/json\r\nContent-Length: 29\r\n\r\n{"query":"mutation{slow}"}   `,
    )
    const isRunning = async () =>
      (await owner.query(`select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)).rowCount
    await expect.poll(isRunning).toBe(1)
    socket.destroy()
    await expect.poll(async () => numberIn(await scrape(running), 'stowage_requests_aborted_total{route="/graphql/v1"}')).toBe(1)
    await expect
      .poll(async () => numberIn(await scrape(running), 'stowage_database_trips_total{login="service",outcome="cancelled"}'))
      .toBe(1)
    // the delete of a moment ago waits for its readers, and the number is believed for some seconds
    await expect.poll(async () => numberIn(await scrape(running), 'stowage_outbox_versions'), { timeout: 15_000 }).toBe(1)
    await owner.query('drop function public.slow()')
    await owner.query('drop table public.note')
  })

  it('are read by those who have the token, where there is one', async () => {
    const token = 'a-token-for-metrics-only'
    const running = await start({ STOWAGE_METRICS_PORT: '0', STOWAGE_METRICS_TOKEN: token })
    const statusWith = async (headers: Record<string, string>) => (await fetch(running.metricsUrl ?? '', { headers })).status
    expect(await statusWith({})).toBe(401)
    expect(await statusWith({ authorization: `Bearer ${token}x` })).toBe(401)
    expect(await statusWith({ authorization: `Bearer ${running.serviceKey}` })).toBe(401)
    expect(await statusWith({ authorization: `Bearer ${token}` })).toBe(200)
    expect((await fetch((running.metricsUrl ?? '').replace('/metrics', '/'))).status).toBe(404)
  })

  it('are nowhere unless asked for', async () => {
    const running = await start({})
    expect(running.metricsUrl).toBe(null)
    expect((await ask(running, '/metrics')).status).toBe(404)
    expect((await ask(running, '/bucket')).headers.has('server-timing')).toBe(false)
  })
})

describe('readiness', { timeout: 60_000 }, () => {
  it('says what is missing: the bytes, the migrations, the database', async () => {
    const running = await start({ STOWAGE_METRICS_PORT: '0' })
    const ready = async () => {
      const answer = await fetch(`${running.baseUrl}/health/ready`)
      return [answer.status, await answer.json()]
    }
    expect(await ready()).toEqual([200, { ready: true }])
    const owner = await database.connect()
    await owner.query(`update stowage.migrations set name = 'x' || name where name like '0001%' or name like '0002%' or name like '000%'`)
    expect(await ready()).toEqual([503, { ready: false, reasons: ['migrations'] }])
    expect(numberIn(await scrape(running), 'stowage_ready')).toBe(0)
    await owner.query(`update stowage.migrations set name = substr(name, 2)`)
    expect(await ready()).toEqual([200, { ready: true }])
    const { rows } = await owner.query(
      'update stowage.store_marker set store_id = gen_random_uuid() returning (select store_id from stowage.store_marker) as had',
    )
    expect(await ready()).toEqual([503, { ready: false, reasons: ['store'] }])
    await owner.query('update stowage.store_marker set store_id = $1', [rows[0].had])
    expect(await ready()).toEqual([200, { ready: true }])
  })

  it('says that the disk with the bytes is not there', async () => {
    const running = await start({})
    await rename(join(folder, 'bytes'), join(folder, 'bytes-elsewhere'))
    try {
      const answer = await fetch(`${running.baseUrl}/health/ready`)
      expect([answer.status, await answer.json()]).toEqual([503, { ready: false, reasons: ['store'] }])
      expect((await fetch(`${running.baseUrl}/health/live`)).status).toBe(200)
    } finally {
      await rename(join(folder, 'bytes-elsewhere'), join(folder, 'bytes'))
    }
  })
})

describe('Server-Timing', { timeout: 60_000 }, () => {
  it('names the stages of the request that it answers, also behind a body', async () => {
    const running = await start({ STOWAGE_SERVER_TIMING: 'on' })
    const timed = async (answer: Promise<Response>) =>
      (await answer).headers
        .get('server-timing')
        ?.split(', ')
        .map((entry) => /^([a-z]+);dur=\d+\.\d$/.exec(entry)?.[1])
    const body = JSON.stringify({ name: 'timed' })
    expect(await timed(ask(running, '/bucket', { method: 'POST', headers: JSON_TYPE, body }))).toEqual(['auth', 'database', 'total'])
    expect(await timed(graphql(running, '{ __typename }'))).toEqual(['auth', 'plan', 'database', 'total'])
    expect(
      await timed(ask(running, '/object/timed/a.txt', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' })),
    ).toEqual(['auth', 'database', 'bytes', 'total'])
    expect(await timed(ask(running, '/object/timed/a.txt'))).toEqual(['auth', 'database', 'bytes', 'total'])
    expect(await timed(ask(running, '/status'))).toEqual(['total'])
  })
})

type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[]
}

describe('traces', { timeout: 60_000 }, () => {
  it('go to the collector: a span a request, with its stages below it, under the trace of the caller', async () => {
    const spans: Span[] = []
    const heard: IncomingHttpHeaders[] = []
    const collector = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        heard.push(request.headers)
        if (request.url === '/v1/traces') {
          for (const { scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans)
            for (const scope of scopeSpans) spans.push(...scope.spans)
        }
        response.setHeader('content-type', 'application/json').end('{}')
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => collector.once('listening', resolve))
    try {
      const running = await start({
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key',
      })
      const traceId = '0af7651916cd43dd8448eb211c80319c'
      await graphql(running, '{ __typename }', { traceparent: `00-${traceId}-b7ad6b7169203331-01` })
      await graphql(running, '{ __typename }', { traceparent: `00-${'1'.repeat(32)}-b7ad6b7169203331-00` })
      await graphql(running, '{ __typename }', { traceparent: 'nonsense' })
      await service?.stop()
      service = null

      const ours = spans.filter((span) => span.traceId === traceId)
      const root = ours.find(({ name }) => name === 'POST /graphql/v1')
      expect(root).toMatchObject({ parentSpanId: 'b7ad6b7169203331', kind: 2 })
      expect(Object.fromEntries((root?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))).toMatchObject({
        'http.request.method': 'POST',
        'http.route': '/graphql/v1',
        'http.response.status_code': 200,
        'stowage.role': 'service_role',
      })
      const children = ours.filter(({ parentSpanId }) => parentSpanId === root?.spanId)
      expect(children.map(({ name }) => name)).toEqual(['auth', 'plan', 'database'])
      for (const child of children) {
        expect(BigInt(child.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 0))
        expect(BigInt(child.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root?.endTimeUnixNano ?? 0))
      }
      // decided against by its caller; and a header that is none begins a trace of its own
      expect(spans.filter((span) => span.traceId === '1'.repeat(32))).toEqual([])
      expect(spans.filter(({ name }) => name === 'POST /graphql/v1').length).toBe(2)
      expect(heard.every((headers) => headers['x-collector-key'] === 'a key')).toBe(true)
      expect(JSON.stringify(spans)).not.toContain(running.serviceKey)
    } finally {
      collector.close()
    }
  })

  it('hold nothing up when the collector is away', async () => {
    const running = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
    for (let i = 0; i < 20; i++) expect((await graphql(running, '{ __typename }')).status).toBe(200)
    const began = performance.now()
    await running.stop()
    service = null
    expect(performance.now() - began).toBeLessThan(15_000)
  })
})
