import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createService, type Service } from '../../src/service/create-service.ts'
import { mountSmallDisk } from './mounted.ts'

const MIB = 2 ** 20

let folder: string
const closers: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stowage-full-'))
})
afterEach(async () => {
  for (let close = closers.pop(); close; close = closers.pop()) await close()
  await rm(folder, { recursive: true, force: true })
})

async function start(settings: Readonly<Record<string, string>> = {}): Promise<Service> {
  const service = await createService({
    HOST: '127.0.0.1',
    PORT: '0',
    STOWAGE_DATA: join(folder, 'data'),
    STOWAGE_LOG_LEVEL: 'silent',
    STOWAGE_SWEEP_GRACE: '1s',
    STOWAGE_SWEEP_INTERVAL: '200ms',
    ...settings,
  })
  closers.push(service.stop)
  return service
}

type Answer = { readonly status: number; readonly body: Buffer }

const asker = (service: Service) => {
  const ask = async (method: string, path: string, body?: Buffer | object): Promise<Answer> => {
    const isBytes = body instanceof Buffer
    const answer = await fetch(service.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${service.serviceKey}`,
        apikey: service.serviceKey,
        ...(body && !isBytes ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: isBytes ? body : JSON.stringify(body) } : {}),
    })
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) }
  }
  return { ask, codeOf: ({ body }: Answer) => JSON.parse(body.toString()).code as string }
}

test('a full disk of bytes: uploads and copies are refused, the rest goes on, and room is used without a restart', async (context) => {
  const disk = await mountSmallDisk(join(folder, 'data/bytes'), '8m')
  if (!disk) return context.skip('this account may not mount a disk')
  closers.push(disk.unmount)
  const { ask, codeOf } = asker(await start())
  expect((await ask('POST', '/bucket', { name: 'b' })).status).toBe(200)

  const kept: Buffer[] = []
  let refused: Answer | undefined
  for (let i = 0; i < 20 && !refused; i++) {
    const content = randomBytes(MIB)
    const answer = await ask('POST', `/object/b/${i}`, content)
    if (answer.status === 200) kept.push(content)
    else refused = answer
  }
  expect(kept.length).toBeGreaterThan(4)
  expect(refused?.status).toBe(507)
  expect(refused && codeOf(refused)).toBe('StoreFull')

  const many = await Promise.all(Array.from({ length: 8 }, (_, i) => ask('POST', `/object/b/many-${i}`, randomBytes(2 * MIB))))
  expect(many.map(({ status }) => status)).toEqual(many.map(() => 507))
  const copied = await ask('POST', '/object/copy', { bucketId: 'b', sourceKey: '0', destinationKey: 'copy' })
  expect([copied.status, codeOf(copied)]).toEqual([507, 'StoreFull'])
  for (const [i, content] of kept.entries()) expect((await ask('GET', `/object/b/${i}`)).body.equals(content)).toBe(true)
  const listed = JSON.parse((await ask('POST', '/object/list/b', { prefix: '' })).body.toString())
  expect(listed).toHaveLength(kept.length)
  expect((await ask('POST', '/object/move', { bucketId: 'b', sourceKey: '0', destinationKey: 'moved' })).status).toBe(200)

  expect((await ask('DELETE', '/object/b/1')).status).toBe(200)
  expect((await ask('DELETE', '/object/b/2')).status).toBe(200)
  await expect
    .poll(async () => (await ask('PUT', '/object/b/again', randomBytes(MIB))).status, { timeout: 10_000, interval: 200 })
    .toBe(200)
}, 60_000)

/** With the object b/kept, on a disk that `ballast` fills; null where none can be mounted. */
async function startOnSmallDisk() {
  const disk = await mountSmallDisk(join(folder, 'data'), '192m')
  if (!disk) return null
  closers.push(disk.unmount)
  const service = await start()
  const { ask } = asker(service)
  expect((await ask('POST', '/bucket', { name: 'b' })).status).toBe(200)
  expect((await ask('POST', '/object/b/kept', Buffer.from('kept'))).status).toBe(200)
  const ballast = join(folder, 'data/ballast')
  await writeFile(ballast, Buffer.alloc(300 * MIB)).catch(() => undefined)
  return { service, ask, ballast }
}

test('a full disk of the database: writes are refused in words, and it goes on when there is room, without a restart', async (context) => {
  const running = await startOnSmallDisk()
  if (!running) return context.skip('this account may not mount a disk')
  const { service, ask, ballast } = running
  const { size } = await stat(ballast)
  await truncate(ballast, size - MIB)
  const answered: string[] = []
  const outcomes = new Map<number, number>()
  // metadata fills the pages and the log of the database
  for (let i = 0; i < 300 && (outcomes.get(503) ?? 0) < 5; i++) {
    const metadata = Buffer.from(JSON.stringify({ noise: randomBytes(5_000).toString('base64') })).toString('base64')
    const answer = await fetch(`${service.baseUrl}/object/b/row-${i}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.serviceKey}`, 'x-metadata': metadata },
    })
    outcomes.set(answer.status, (outcomes.get(answer.status) ?? 0) + 1)
    if (answer.status === 200) answered.push(`row-${i}`)
  }
  expect([...outcomes.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(outcomes.get(503)).toBe(5)
  expect((await ask('GET', '/health/live')).status).toBe(200)
  await rm(ballast)
  await expect
    .poll(async () => (await ask('POST', '/object/b/again', Buffer.from('x'))).status, { timeout: 20_000, interval: 200 })
    .toBe(200)
  for (const key of ['kept', ...answered]) expect((await ask('GET', `/object/b/${key}`)).status, key).toBe(200)
}, 120_000)

test('no room for the log of the database: it ends, and comes back by itself when there is', async (context) => {
  const running = await startOnSmallDisk()
  if (!running) return context.skip('this account may not mount a disk')
  const { service, ask, ballast } = running
  const owner = new pg.Client({ connectionString: service.databaseUrl })
  owner.on('error', () => undefined)
  await owner.connect()
  await expect(
    (async () => {
      for (let i = 0; i < 50; i++) await owner.query('select pg_logical_emit_message(true, $1, $2), pg_switch_wal()', ['test', 'x'])
    })(),
  ).rejects.toThrow()
  for (let i = 0; i < 30; i++) {
    expect((await ask('GET', '/object/b/kept')).status).toBeOneOf([200, 503])
    expect((await ask('GET', '/health/live')).status).toBe(200)
    await sleep(100)
  }
  expect((await ask('GET', '/health/ready')).status).toBe(503)
  await rm(ballast)
  await expect.poll(async () => (await ask('GET', '/object/b/kept')).status, { timeout: 20_000, interval: 100 }).toBe(200)
  expect((await ask('POST', '/object/b/again', Buffer.from('x'))).status).toBe(200)
}, 120_000)
