import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect } from 'vitest'
import { crowd } from '../../support/crowd.ts'
import type { Attack } from '../attack.ts'
import { startAttackedService } from '../attacked-service.ts'
import { graphqlBody } from '../outcome.ts'
import { type Answer, head, request, send } from '../raw.ts'
import type { World } from '../world.ts'

const run = promisify(execFile)
const MIB = 2 ** 20

/** Opens a connection for each of `count` and says `first` on it; nothing is read until `resume`. */
function dawdlers(world: World, count: number, first: Buffer): Promise<readonly Socket[]> {
  const open = (): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: world.service.port })
      socket.on('error', () => resolve(socket))
      socket.once('connect', () => {
        socket.pause()
        socket.write(first)
        resolve(socket)
      })
    })
  return Promise.all(Array.from({ length: count }, open))
}

/** The time of each of `count` asked one after the other, milliseconds, from the shortest to the longest. */
async function times(count: number, ask: () => Promise<Answer>): Promise<readonly number[]> {
  const found: number[] = []
  for (let i = 0; i < count; i++) {
    const began = performance.now()
    expect((await ask()).status).toBe(200)
    found.push(performance.now() - began)
  }
  return found.sort((a, b) => a - b)
}

const near = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0

const readA = (world: World) => () => world.ask('GET', '/object/authenticated/priv/a.txt')
const askGraphql = (world: World) => () => world.graphql('{accountCollection{edges{node{id}}}}', { as: 'A' })

const busyBackends = async (world: World): Promise<number> =>
  (await world.db.query(`select from pg_stat_activity where usename in ('stowage_web', 'stowage_service') and state <> 'idle'`)).rows.length

async function slowUploads(world: World, count: number, seconds: number): Promise<void> {
  const before = near(await times(20, readA(world)), 0.5)
  const uploads = await dawdlers(
    world,
    count,
    head('POST /object/priv/rx-02-slow HTTP/1.1', [
      ['Host', 'x'],
      ['Authorization', `Bearer ${world.tokens.A}`],
      ['x-upsert', 'true'],
      ['Content-Length', '10000000'],
    ]),
  )
  let resident = 0
  for (let second = 0; second < seconds; second++) {
    for (const socket of uploads) socket.write(Buffer.alloc(1024, 'x'))
    await sleep(1_000)
    resident = Math.max(resident, (await world.service.ask()).residentBytes)
    expect(await busyBackends(world), 'connections to the database that uploads hold').toBeLessThanOrEqual(2)
  }
  const during = near(await times(20, readA(world)), 0.5)
  for (const socket of uploads) socket.resetAndDestroy()
  expect(resident / MIB, 'MiB resident').toBeLessThan(300)
  expect(during, 'median of a read, ms').toBeLessThan(Math.max(50 * crowd(), before * 3))
}

async function slowDownloads(world: World, count: number, size: number, seconds: number): Promise<void> {
  await world.ask('PUT', '/object/pub/rx-03', { body: Buffer.alloc(size, 'x'), options: { patience: 60_000 } })
  const downloads = await dawdlers(world, count, Buffer.from('GET /object/public/pub/rx-03 HTTP/1.1\r\nHost: x\r\n\r\n'))
  let resident = 0
  for (let second = 0; second < seconds; second++) {
    for (const socket of downloads) socket.read(1024)
    await sleep(1_000)
    resident = Math.max(resident, (await world.service.ask()).residentBytes)
  }
  const open = existsSync(`/proc/${world.service.pid}/fd`) ? (await readdir(`/proc/${world.service.pid}/fd`)).length : 0
  expect(open, 'open files').toBeLessThan(2 * count + 150)
  expect((await readA(world)()).status).toBe(200)
  for (const socket of downloads) socket.resetAndDestroy()
  expect(resident / MIB, 'MiB resident').toBeLessThan(count > 500 ? 700 : 300)
  await world.ask('DELETE', '/object/pub/rx-03')
}

/** Each asks for so much ahead that all answers together would be 600 MiB. */
async function askersAhead(world: World): Promise<void> {
  await world.ask('PUT', '/object/pub/rx-03-ahead', { body: Buffer.alloc(MIB / 4, 'x') })
  const before = (await world.service.ask()).residentBytes
  const askers = await dawdlers(world, 40, Buffer.from('GET /object/public/pub/rx-03-ahead HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(60)))
  await sleep(2_000)
  const grown = (await world.service.ask()).residentBytes - before
  for (const socket of askers) socket.resetAndDestroy()
  expect(grown / MIB, 'MiB more').toBeLessThan(150)
  await world.ask('DELETE', '/object/pub/rx-03-ahead')
}

/** Rows with a mebibyte of user metadata each, so that the answer is longer than the heap of the service; read by nobody at first. */
async function heavyDeletion(world: World): Promise<void> {
  const COUNT = 300
  await world.db.query(
    `insert into storage.objects (bucket_id, name, user_metadata)
     select 'pub', 'rx-13-heavy-' || i, jsonb_build_object('long', repeat('x', $1)) from generate_series(1, $2::int) i`,
    [MIB, COUNT],
  )
  const body = JSON.stringify({ prefixes: Array.from({ length: COUNT }, (_, i) => `rx-13-heavy-${i + 1}`) })
  const [asker] = await dawdlers(
    world,
    1,
    request(
      'DELETE',
      '/object/pub',
      [
        ['Host', 'x'],
        ['Authorization', `Bearer ${world.service.keys.serviceKey}`],
        ['Content-Type', 'application/json'],
        ['Connection', 'close'],
      ],
      body,
    ),
  )
  let resident = 0
  let length = 0
  let beginning = ''
  await sleep(1_000)
  const ended = new Promise((resolve) => asker?.once('close', resolve))
  asker?.on('data', (chunk: Buffer) => {
    if (length === 0) beginning = chunk.subarray(0, 12).toString()
    length += chunk.length
  })
  asker?.resume()
  const watch = setInterval(async () => {
    resident = Math.max(resident, (await world.service.ask()).residentBytes)
  }, 100)
  await ended
  clearInterval(watch)
  expect(beginning).toBe('HTTP/1.1 200')
  expect(length).toBeGreaterThan(COUNT * MIB)
  expect(resident / MIB, 'MiB resident').toBeLessThan(450)
  expect((await world.db.query(`select from storage.objects where name like 'rx-13-heavy-%'`)).rows).toHaveLength(0)
}

async function mixedLoad(world: World, seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1_000
  const body = Buffer.alloc(2_000_000, 'm')
  const kinds = [
    (i: number) => world.ask('PUT', `/object/priv/rx-13-${i % 7}`, { body }),
    (i: number) => world.ask('GET', `/object/authenticated/priv/rx-13-${i % 7}`),
    () => world.graphql('{sampleCollection(first:30){edges{node{id a_text}}}}'),
    (i: number) => world.graphql(`{x${i}:accountCollection{edges{node{id noteCollection{edges{node{id body}}}}}}}`, { as: 'A' }),
    () => world.ask('POST', '/object/list/priv', { body: { prefix: '' } }),
    () => world.ask('POST', '/bucket', { body: { name: 'x'.repeat(900_000) } }),
  ]
  let resident = 0
  const lane = async (n: number) => {
    for (let i = n; performance.now() < until; i += 8) {
      const answer = await kinds[i % kinds.length]?.(i)
      expect(answer?.status).toBeOneOf([200, 400])
      if (i % 20 === 0) world.takeHeard()
    }
  }
  const watch = (async () => {
    while (performance.now() < until) {
      resident = Math.max(resident, (await world.service.ask()).residentBytes)
      await sleep(250)
    }
  })()
  await Promise.all([...Array.from({ length: 8 }, (_, n) => lane(n)), watch])
  world.takeHeard()
  expect(resident / MIB, 'MiB resident').toBeLessThan(450)
}

/** The service of these attacks runs with a heap of 192 MB. */
export const EXHAUSTION: readonly Attack[] = [
  { id: 'RX-02', what: '200 uploads of 1 KiB a second', play: (world) => slowUploads(world, 200, 3) },
  { id: 'RX-02', what: '1,000 uploads of 1 KiB a second', long: true, play: (world) => slowUploads(world, 1_000, 20) },
  { id: 'RX-03', what: '100 downloads of 1 KiB a second', play: (world) => slowDownloads(world, 100, 32 * MIB, 3) },
  {
    id: 'RX-03',
    what: '1,000 downloads of 1 KiB a second, of 1 GiB',
    long: true,
    play: (world) => slowDownloads(world, 1_000, 1024 * MIB, 20),
  },
  { id: 'RX-03', what: '40 connections that ask for 60 objects ahead and read none', play: askersAhead },
  {
    id: 'RX-04',
    what: 'no more files than forty beyond those that are open',
    mayAnswer: [500, 503],
    alarms: true,
    play: async (world) => {
      const { pid } = world.service
      if (!existsSync('/usr/bin/prlimit') || !existsSync(`/proc/${pid}/fd`)) return
      const limit = async (files: string) => run('prlimit', ['--pid', String(pid), `--nofile=${files}`])
      const { stdout } = await run('prlimit', ['--pid', String(pid), '--nofile', '--raw', '--noheadings', '-o', 'SOFT,HARD'])
      const [soft = '', hard = ''] = stdout.trim().split(/\s+/)
      await limit(`${(await readdir(`/proc/${pid}/fd`)).length + 40}:${hard}`)
      try {
        const crowd = await dawdlers(world, 300, Buffer.from('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'))
        await sleep(300)
        const answers = await Promise.allSettled(
          Array.from({ length: 50 }, (_, i) => world.ask('PUT', `/object/priv/rx-04-${i}`, { body: 'x', options: { patience: 5_000 } })),
        )
        for (const outcome of answers) if (outcome.status === 'fulfilled') expect(outcome.value.status).toBeOneOf([200, 400, 500, 503])
        for (const socket of crowd) socket.resetAndDestroy()
        await sleep(300)
      } finally {
        await limit(`${soft}:${hard}`)
      }
      await expect.poll(async () => (await readA(world)()).status, { timeout: 3_000 * crowd() }).toBe(200)
      expect((await world.ask('PUT', '/object/priv/rx-04', { body: 'x' })).status).toBe(200)
    },
  },
  {
    id: 'RX-05',
    what: 'every flush to the disk takes a second: readers do not notice',
    long: true,
    play: async (world) => {
      if (!existsSync('/usr/bin/strace')) return
      const before = near(await times(50, readA(world)), 0.9)
      const strace = execFile('strace', [
        '-f',
        '-qq',
        '-o',
        '/dev/null',
        '-p',
        String(world.service.pid),
        '-e',
        'trace=fsync,fdatasync',
        '-e',
        'inject=fsync,fdatasync:delay_enter=1000000',
        '--seccomp-bpf',
      ])
      await sleep(1_000)
      try {
        const uploads = Promise.all(
          Array.from({ length: 16 }, (_, i) => world.ask('PUT', `/object/priv/rx-05-${i}`, { body: 'x', options: { patience: 120_000 } })),
        )
        const [reads, questions] = [near(await times(50, readA(world)), 0.9), near(await times(50, askGraphql(world)), 0.9)]
        expect(Math.max(reads, questions), 'ninth decile, ms').toBeLessThan(Math.max(100, before * 3))
        for (const { status } of await uploads) expect(status).toBe(200)
      } finally {
        strace.kill('SIGINT')
        await new Promise((resolve) => strace.once('exit', resolve))
      }
    },
  },
  {
    id: 'RX-07',
    what: 'no more names for files: a refusal, and room again after deletions',
    long: true,
    mayAnswer: [500, 503, 507],
    alarms: true,
    play: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'stowage-inodes-'))
      const isMounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=512m,nr_inodes=1700,mode=711', 'tmpfs', folder]).then(
        () => true,
        () => false,
      )
      if (!isMounted) return
      try {
        const service = await startAttackedService({ STOWAGE_DATA: join(folder, 'data') })
        try {
          const ask = async (method: string, target: string, body = '', json = false) => {
            const bytes = request(
              method,
              target,
              [['Authorization', `Bearer ${service.keys.serviceKey}`], ...(json ? ([['Content-Type', 'application/json']] as const) : [])],
              body,
            )
            return (await send(service.port, bytes)).answers[0]
          }
          expect((await ask('POST', '/bucket', '{"name":"names"}', true))?.status).toBe(200)
          const written: number[] = []
          let refused: Answer | undefined
          for (let i = 0; i < 2_000 && !refused; i++) {
            const answer = await ask('PUT', `/object/names/${i}`, `content ${i}`)
            if (answer?.status === 200) written.push(i)
            else refused = answer
          }
          expect(refused, 'a refusal').toBeDefined()
          for (const i of [written[0], written.at(-1)])
            expect((await ask('GET', `/object/authenticated/names/${i}`))?.body.toString()).toBe(`content ${i}`)
          for (const i of written.slice(0, 100)) expect((await ask('DELETE', `/object/names/${i}`))?.status).toBe(200)
          await expect
            .poll(async () => (await ask('PUT', '/object/names/again', 'again'))?.status, { timeout: 20_000, interval: 200 })
            .toBe(200)
          expect(service.hasEnded()).toBe(false)
        } finally {
          await service.stop()
        }
      } finally {
        await run('umount', ['-l', folder])
        await rm(folder, { recursive: true, force: true })
      }
    },
  },
  {
    id: 'RX-08',
    what: 'two hundred long GraphQL questions at once leave room for files',
    mayAnswer: [503],
    alarms: true,
    play: async (world) => {
      const before = near(await times(20, readA(world)), 0.9)
      const questions = Promise.all(
        Array.from({ length: 200 }, () => world.graphql('mutation{wait(seconds:0.9)}', { as: 'A', options: { patience: 20_000 } })),
      )
      await sleep(300)
      const during = near(await times(20, readA(world)), 0.9)
      for (const answer of await questions) expect(answer.status).toBeOneOf([200, 503])
      expect(during, 'ninth decile of a read, ms').toBeLessThan(Math.max(150 * crowd(), before * 2))
    },
  },
  { id: 'RX-13', what: 'a deletion whose answer is longer than the heap', play: heavyDeletion },
  { id: 'RX-13', what: 'six seconds of everything with a heap of 192 MB', play: (world) => mixedLoad(world, 6) },
  { id: 'RX-13', what: 'ten minutes of everything with a heap of 192 MB', long: true, play: (world) => mixedLoad(world, 600) },
  {
    id: 'RX-16',
    what: 'others hold all connections that the database has',
    mayAnswer: [503],
    alarms: true,
    play: async (world) => {
      const url = world.service.keys.databaseUrl
      const others: pg.Client[] = []
      const taken = async () => {
        for (;;) {
          const client = new pg.Client({ connectionString: url })
          client.on('error', () => undefined)
          try {
            await client.connect()
          } catch {
            return
          }
          others.push(client)
        }
      }
      const ours = `select pg_terminate_backend(pid) from pg_stat_activity where usename in ('stowage_web', 'stowage_service')`
      do await taken()
      while (((await world.db.query(ours)).rowCount ?? 0) > 0)
      try {
        for (const ask of [readA(world), askGraphql(world)]) {
          const began = performance.now()
          expect((await ask()).status).toBe(503)
          expect(performance.now() - began).toBeLessThan(5_000 * crowd())
        }
        expect((await world.ask('GET', '/health/live')).status).toBe(200)
        expect((await world.ask('GET', '/health/ready')).status).toBe(503)
      } finally {
        await Promise.all(others.map((client) => client.end().catch(() => undefined)))
      }
      await expect.poll(async () => (await readA(world)()).status, { timeout: 5_000 }).toBe(200)
      expect(graphqlBody(await askGraphql(world)()).data).toBeTruthy()
    },
  },
  {
    id: 'RX-101',
    what: 'five hundred questions at once for ten connections',
    mayAnswer: [503],
    play: async (world) => {
      const one = request(
        'POST',
        '/graphql/v1',
        [
          ['apiKey', world.tokens.anon],
          ['Content-Type', 'application/json'],
        ],
        '{"query":"{sampleCollection{edges{node{id}}}}"}',
      )
      const heard = await Promise.all(Array.from({ length: 500 }, () => world.send(one, { patience: 20_000 })))
      expect(heard.filter(({ answers }) => answers.length !== 1)).toEqual([])
    },
  },
  {
    id: 'RX-102',
    what: 'a gigabyte of JSON that is never finished, on fifty connections',
    play: async (world) => {
      const start = (type: string) =>
        Buffer.concat([
          head('POST /object/list/priv HTTP/1.1', [
            ['Host', 'x'],
            ['Authorization', `Bearer ${world.tokens.A}`],
            ['Content-Type', type],
            ['Transfer-Encoding', 'chunked'],
          ]),
          Buffer.from('fffff\r\n'),
        ])
      const crowd = await dawdlers(world, 50, start('application/json'))
      for (const socket of crowd) socket.write(Buffer.alloc(900_000, '['))
      await sleep(500)
      const { residentBytes } = await world.service.ask()
      for (const socket of crowd) socket.resetAndDestroy()
      expect(residentBytes / MIB, 'MiB resident').toBeLessThan(400)
    },
  },
]
