import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seeded } from '../../bench/seeded.js'
import { type AttackedService, startAttackedService } from '../attacks/attacked-service.ts'
import { type Conversation, chunk, head, LAST_CHUNK, type Payload, request, type SendOptions, send } from '../attacks/raw.ts'
import { crowd } from '../support/crowd.ts'

/**
 * Clients in numbers that vanish, dawdle or lie, and one beside them that does not notice. What each lie is answered with, one by one, is in
 * test/attacks: HT for the wire, UP for bodies, RX for exhaustion.
 */

const HEAVY = process.env.TEST_HEAVY === '1'
const SEED = 20_260_712
const MIB = 2 ** 20
/** Fewer than there are of any kind of bad client. */
const CONNECTIONS = 3
const IDLE_MS = 3_000
const BACK_MS = 5_000

let service: AttackedService
let db: pg.Client
let auth: readonly [string, string]
/** How long the good client waits with nobody beside, milliseconds. */
let alone: number
const large = randomBytes(100 * MIB)

beforeAll(async () => {
  service = await startAttackedService(
    {
      STOWAGE_LOG_LEVEL: 'error',
      STOWAGE_WEB_CONNECTIONS: String(CONNECTIONS),
      STOWAGE_SERVICE_CONNECTIONS: String(CONNECTIONS),
      STOWAGE_IDLE_TIMEOUT: `${IDLE_MS}ms`,
    },
    ['--expose-gc'],
  )
  auth = ['Authorization', `Bearer ${service.keys.serviceKey}`]
  db = new pg.Client({ connectionString: service.keys.databaseUrl })
  await db.connect()
  await db.query(`create table public.thing (id int generated always as identity primary key, text text);
    insert into public.thing (text) select 'thing ' || i from generate_series(1, 100) i;
    grant select, insert on public.thing to service_role`)
  await ask('POST', '/bucket', '{"name":"b","public":true}', [['Content-Type', 'application/json']])
  expect(await ask('PUT', '/object/b/large', large)).toBe(200)
  expect(await ask('PUT', '/object/b/small', SMALL)).toBe(200)
  await vanish(seeded(1), 60)
  alone = median(await beside(sleep(1_000)))
})
afterAll(async () => {
  await db?.end()
  await service?.stop()
})

const SMALL = randomBytes(20_000)

async function ask(
  method: string,
  target: string,
  body: Payload = '',
  headers: readonly (readonly [string, string])[] = [],
): Promise<number> {
  return (await say(request(method, target, [auth, ...headers], body), { patience: 30_000 })).answers[0]?.status ?? 0
}
const say = (bytes: Payload | readonly Payload[], options?: SendOptions): Promise<Conversation> => send(service.port, bytes, options)

const openFiles = async () => (await readdir(`/proc/${service.pid}/fd`)).length
const busyBackends = async () =>
  (await db.query(`select from pg_stat_activity where usename in ('stowage_web', 'stowage_service') and state <> 'idle'`)).rows.length
const backends = async () =>
  (await db.query(`select from pg_stat_activity where usename in ('stowage_web', 'stowage_service')`)).rows.length
const number = async (text: string) => Number((await db.query(text)).rows[0]?.n)
async function strayFiles(): Promise<number> {
  const names = await readdir(join(service.folder, 'data/bytes'), { recursive: true })
  return names.filter((name) => /[0-9a-f-]{36}$/.test(name)).length - (await number('select count(*) as n from storage.objects'))
}

type Baseline = { readonly files: number; readonly heldBytes: number }

const baseline = async (): Promise<Baseline> => {
  await expect.poll(strayFiles, { timeout: BACK_MS * crowd(), interval: 100 }).toBe(0)
  return { files: await openFiles(), heldBytes: (await service.ask(true)).heldBytes }
}

async function expectBack({ files, heldBytes }: Baseline): Promise<void> {
  const until = { timeout: BACK_MS * crowd(), interval: 100 }
  await expect.poll(openFiles, until).toBeLessThanOrEqual(files + 6)
  await expect.poll(busyBackends, until).toBe(0)
  await expect.poll(strayFiles, until).toBe(0)
  await expect.poll(() => number('select count(*) as n from stowage.intents'), until).toBe(0)
  await expect.poll(async () => (await service.ask(true)).heldBytes, until).toBeLessThan(heldBytes + 8 * MIB)
  // both pools and the connection of the health checks
  expect(await backends()).toBeLessThanOrEqual(2 * CONNECTIONS + 1)
  expect((await service.ask()).faults).toEqual([])
  expect(service.hasEnded()).toBe(false)
}

/** Somebody who does nothing wrong, one request after the other, until `others` are done. Answers how long each took, milliseconds. */
async function beside(others: Promise<unknown>): Promise<readonly number[]> {
  let isOver = false
  const done = others.finally(() => {
    isOver = true
  })
  const times: number[] = []
  for (let i = 0; !isOver; i++) {
    const began = performance.now()
    if (i % 3 === 0) {
      const { answers } = await say(request('GET', '/object/public/b/small'))
      expect([answers[0]?.status, answers[0]?.body.equals(SMALL)]).toEqual([200, true])
    } else if (i % 3 === 1) expect(await ask('PUT', `/object/b/beside-${i % 7}`, SMALL)).toBe(200)
    else expect(await ask('POST', '/graphql/v1', '{"query":"{thingCollection{edges{node{id}}}}"}', GRAPHQL())).toBe(200)
    times.push(performance.now() - began)
  }
  await done
  return times.sort((a, b) => a - b)
}

const GRAPHQL = (): readonly (readonly [string, string])[] => [
  ['apiKey', service.keys.serviceKey],
  ['Content-Type', 'application/json'],
]

/** Beside a crowd on two cores everybody waits for the processor; what is not allowed is to wait for the crowd. */
function expectUnnoticed(times: readonly number[]): void {
  expect(times.length).toBeGreaterThan(3)
  expect(median(times), 'median, ms').toBeLessThan(Math.max(1_000 * crowd(), 20 * alone))
  expect(times.at(-1), 'the longest, ms').toBeLessThan(5_000 * crowd())
}

const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0

/** Says who it is at every place, so that a mixture or a part of two shows. */
const ownContent = (n: number, length: number): Buffer => Buffer.alloc(length, `${String(n).padStart(9, '0')};`)

/** Each sends a part of a request, or takes a part of an answer, and is gone. */
async function vanish(random: () => number, count: number): Promise<void> {
  const pick = (most: number) => Math.floor(random() * most)
  const one = async (n: number) => {
    const key = `vanished-${pick(40)}`
    const content = ownContent(n, pick(200_000))
    const boundary = 'x-boundary'
    const form = Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\nContent-Type: text/plain\r\n\r\n`),
      content,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ])
    const sendings: readonly (() => Buffer)[] = [
      () => request('PUT', `/object/b/${key}`, [auth], content),
      () =>
        request(
          'POST',
          `/object/b/${key}`,
          [auth, ['x-upsert', 'true'], ['Content-Type', `multipart/form-data; boundary=${boundary}`]],
          form,
        ),
      () =>
        Buffer.concat([
          head(`PUT /object/b/${key} HTTP/1.1`, [['Host', 'x'], auth, ['Transfer-Encoding', 'chunked']]),
          chunk(content.subarray(0, 10_000)),
          chunk(content),
          LAST_CHUNK,
        ]),
      () =>
        request(
          'POST',
          '/object/copy',
          [auth, ['x-upsert', 'true'], ['Content-Type', 'application/json']],
          JSON.stringify({ bucketId: 'b', sourceKey: 'small', destinationKey: `copy-${pick(9)}` }),
        ),
      () =>
        request(
          'POST',
          '/graphql/v1',
          [auth, ...GRAPHQL()],
          '{"query":"mutation{insertIntothingCollection(objects:[{text:\\"v\\"}]){affectedCount}}"}',
        ),
      () => request('POST', '/object/list/b', [auth, ['Content-Type', 'application/json']], '{"prefix":""}'),
    ]
    if (random() < 0.3) return takeAPart(random() < 0.5 ? '/object/public/b/large' : '/object/public/b/small', pick(3 * MIB))
    const bytes = sendings[pick(sendings.length)]?.() ?? Buffer.alloc(0)
    // some say everything, and leave with the first bytes of the answer, or about when it comes
    const dice = random()
    if (dice < 0.1) await say(bytes, { answers: 1 })
    else if (dice < 0.3) await say(bytes, { patience: pick(150) })
    else await say(bytes, { cutAfter: random() < 0.1 ? bytes.length : 1 + pick(bytes.length) })
  }
  let n = 0
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      while (n < count) await one(++n)
    }),
  )
}

const takeAPart = (target: string, most: number): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: service.port })
    let taken = 0
    socket.on('data', (piece) => {
      taken += piece.length
      if (taken >= most) socket.resetAndDestroy()
    })
    socket.on('end', () => socket.destroy())
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  })

describe('clients', { timeout: HEAVY ? 900_000 : 60_000 }, () => {
  test('that vanish at any byte, both ways: nothing of them stays, and what they left whole is whole', async () => {
    const before = await baseline()
    const times = await beside(vanish(seeded(SEED), HEAVY ? 10_000 : 400))
    expectUnnoticed(times)
    await expectBack(before)
    const keys = (await db.query(`select name from storage.objects where name like 'vanished-%'`)).rows.map(({ name }) => String(name))
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) {
      const { answers } = await say(request('GET', `/object/public/b/${key}`))
      const body = answers[0]?.body ?? Buffer.alloc(0)
      expect(answers[0]?.status).toBe(200)
      // chunked ones begin with a piece of themselves
      const whole = ownContent(Number(body.subarray(0, 9).toString()), body.length)
      const isWhole = body.equals(whole) || body.subarray(10_000).equals(whole.subarray(0, -10_000))
      expect({ key, isWhole }).toEqual({ key, isWhole: true })
    }
  })

  test('that read 100 MB by the drop, or send by the drop: no memory, no connection of a pool', async () => {
    const before = await baseline()
    const resident = (await service.ask(true)).residentBytes
    const count = HEAVY ? 300 : 40
    const readers = await Promise.all(Array.from({ length: count }, () => opened('GET /object/public/b/large HTTP/1.1\r\nHost: x\r\n\r\n')))
    const senders = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        opened(head(`PUT /object/b/drop-${i} HTTP/1.1`, [['Host', 'x'], auth, ['Content-Length', '100000000']])),
      ),
    )
    const drip = (async () => {
      for (let second = 0; second < IDLE_MS / 1_000 - 1; second++) {
        for (const socket of readers) socket.read(1_024)
        for (const socket of senders) socket.write(Buffer.alloc(1_024, 'd'))
        await sleep(1_000)
        expect(await busyBackends()).toBeLessThanOrEqual(2)
      }
    })()
    expectUnnoticed(await beside(drip))
    await expect.poll(openFiles).toBeGreaterThan(before.files + 2 * count)
    const held = (await service.ask(true)).residentBytes - resident
    expect(held / count / MIB, 'MiB for a reader and a sender').toBeLessThan(2.5)
    for (const socket of [...readers, ...senders]) socket.resetAndDestroy()
    await expectBack(before)
  })

  test('that stop reading or sending in the middle: they are closed, nobody has to', async () => {
    const before = await baseline()
    const stopped = await Promise.all([
      ...Array.from({ length: 30 }, () => opened('GET /object/public/b/large HTTP/1.1\r\nHost: x\r\n\r\n')),
      ...Array.from({ length: 30 }, (_, i) =>
        opened(
          Buffer.concat([
            head(`PUT /object/b/stop-${i} HTTP/1.1`, [['Host', 'x'], auth, ['Content-Length', '100000000']]),
            randomBytes(70_000),
          ]),
        ),
      ),
    ])
    await expect.poll(openFiles).toBeGreaterThan(before.files + 60)
    expectUnnoticed(await beside(sleep(IDLE_MS + 3_000)))
    await expectBack(before)
    for (const socket of stopped) socket.destroy()
  })

  test('that lie about where a request ends, hundreds at once: each is refused or cut, and nothing of them counts', async () => {
    const before = await baseline()
    const line = (method: string, target: string, more: string) =>
      `${method} ${target} HTTP/1.1\r\nHost: x\r\n${auth.join(': ')}\r\n${more}\r\n`
    const lies: readonly (() => Promise<Conversation>)[] = [
      // fewer bytes than announced, and gone
      () => say([line('PUT', '/object/b/lied', 'Content-Length: 5000\r\n'), randomBytes(4_000)], { halfClose: true }),
      // more than announced: the rest is no request
      () => say([line('PUT', '/object/b/lied-more', 'Content-Length: 10\r\n'), Buffer.alloc(500, '!')]),
      () =>
        say(
          `${line('PUT', '/object/b/lied', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\nGET /object/b/lied HTTP/1.1\r\n`,
        ),
      () => say(`${line('PUT', '/object/b/lied', 'Content-Length: 5\r\nContent-Length: 6\r\n')}hello!`),
      () => say(`${line('PUT', '/object/b/lied', 'Transfer-Encoding: chunked\r\n')}ffffffff\r\nshort`, { halfClose: true }),
      () => say(`${line('PUT', '/object/b/lied', 'Transfer-Encoding: chunked\r\n')}nonsense\r\n`),
      () => say('GET /object/public/b/small\r\n\r\n', { halfClose: true }),
      () => say(line('GET', '/object/public/b/small', 'Host: y\r\nConnection: close\r\n')),
      () => say(line('GET', '/object/public/b/small#x', 'Connection: close\r\n')),
    ]
    const all = Promise.all(
      Array.from({ length: HEAVY ? 3_000 : 270 }, async (_, i) => {
        await sleep((i % 100) * 20)
        return [i % lies.length, (await lies[i % lies.length]?.())?.answers ?? []] as const
      }),
    )
    expectUnnoticed(await beside(all))
    for (const [which, answers] of await all) {
      const statuses = answers.map(({ status }) => status)
      // the one lie that holds a whole request before it, which may or may not have been answered by then
      if (which === 1) expect(statuses.at(-1)).toBe(400)
      else expect({ which, fine: statuses.filter((status) => status < 400) }).toEqual({ which, fine: [] })
    }
    expect(await number(`select count(*) as n from storage.objects where name = 'lied'`)).toBe(0)
    await expectBack(before)
  })
})

/** A connection on which `first` is said and nothing is read. */
const opened = (first: Payload): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: service.port })
    socket.on('error', () => resolve(socket))
    socket.once('connect', () => {
      socket.pause()
      socket.write(first, () => resolve(socket))
    })
  })
