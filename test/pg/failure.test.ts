import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { askAgain } from '../../src/pg/ask-again.ts'
import { PgCancelled, PgError, PgUnavailable } from '../../src/pg/pg-error.ts'
import { milliseconds } from '../../src/std/brand.ts'
import { type PoolDatabase, poolDatabase, statement, type TestPool } from './pool-database.ts'

let database: PoolDatabase
beforeAll(async () => {
  database = await poolDatabase('failure')
  const owner = await database.connect()
  await owner.query('create table kept (id int primary key); grant select, insert on kept to authenticated')
})
afterAll(() => database.drop())

const pools: TestPool[] = []
const frozen = new Set<number>()
afterEach(async () => {
  for (const pid of frozen) process.kill(pid, 'SIGCONT')
  frozen.clear()
  await Promise.all(pools.splice(0).map((pool) => pool.end()))
})
function poolWith(options?: Parameters<PoolDatabase['pool']>[0]): TestPool {
  const pool = database.pool(options)
  pools.push(pool)
  return pool
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  )
const pidOf = async (pool: TestPool) => Number(await pool.ask('select pg_backend_pid()'))
const running = async (text: string): Promise<number> => {
  const owner = await database.connect()
  const { rows } = await owner.query(
    `select count(*)::int as n from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()`,
    [`%${text}%`],
  )
  await owner.end()
  return rows[0].n
}
async function until(what: () => Promise<boolean>, withinMs: number): Promise<number> {
  const startedAt = performance.now()
  while (!(await what())) {
    if (performance.now() - startedAt > withinMs) throw new Error(`not within ${withinMs} ms`)
    await sleep(20)
  }
  return performance.now() - startedAt
}

/** Of the thirty that it would run; a second on a machine with nothing else to do. */
const CANCELLED_WITHIN_MS = 10_000

/** Whether it is settled by now; the loop turns twice, for whatever else is due. */
const isSettled = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => setImmediate(() => resolve(false))))])

describe('a caller who leaves', () => {
  test('is told at once, has the query cancelled, and the connection given up', async () => {
    const pool = poolWith()
    const before = await pidOf(pool)
    const controller = new AbortController()
    const work = failure(pool.send([statement('select pg_sleep(30) as leaver_a')], {}, controller.signal))
    await until(async () => (await running('leaver_a')) === 1, 20_000)
    controller.abort()
    expect(await isSettled(work)).toBe(true)
    expect(await work).toBeInstanceOf(PgCancelled)
    await until(async () => (await running('leaver_a')) === 0, CANCELLED_WITHIN_MS)
    expect(await pidOf(pool)).not.toBe(before)
    expect(pool.stats()).toEqual({ total: 1, idle: 1, waiting: 0 })
  })

  test('leaves nothing written behind', async () => {
    const pool = poolWith()
    const controller = new AbortController()
    const work = failure(
      pool.send([statement('insert into kept values (1)'), statement('select pg_sleep(30) as leaver_b')], {}, controller.signal),
    )
    await until(async () => (await running('leaver_b')) === 1, 20_000)
    controller.abort()
    expect(await work).toBeInstanceOf(PgCancelled)
    expect(await pool.ask('select count(*) from kept')).toBe('0')
  })

  test('before anything was sent costs no trip', async () => {
    const pool = poolWith()
    await pidOf(pool)
    const trips = pool.trips.length
    expect(await failure(pool.send([statement('select 1')], {}, AbortSignal.abort()))).toBeInstanceOf(PgCancelled)
    expect(pool.trips.length).toBe(trips)
  })

  test('while waiting for a connection is told at once, and the one who comes after is served', async () => {
    const pool = poolWith()
    const holder = pool.send([statement('select pg_sleep(0.5)')])
    const controller = new AbortController()
    const leaver = failure(pool.send([statement('select 1')], {}, controller.signal))
    const patient = pool.ask('select 2')
    controller.abort()
    expect(await isSettled(leaver)).toBe(true)
    expect(await leaver).toBeInstanceOf(PgCancelled)
    await holder
    expect(await patient).toBe('2')
    expect(pool.stats()).toEqual({ total: 1, idle: 1, waiting: 0 })
  })

  test('a hundred times over: no connection is lost, none stays busy', async () => {
    const pool = poolWith({ maxConnections: 4 })
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const controller = new AbortController()
        const work = failure(pool.send([statement(`select pg_sleep(${i % 3 === 0 ? 30 : 0.01}) as leaver_c`)], {}, controller.signal))
        await sleep((i * 7) % 40)
        controller.abort()
        return work
      }),
    )
    for (const outcome of outcomes) expect(outcome === 'no error' || outcome instanceof PgCancelled).toBe(true)
    await until(async () => (await running('leaver_c')) === 0, CANCELLED_WITHIN_MS)
    expect(await Promise.all(Array.from({ length: 8 }, (_, i) => pool.ask(`select ${i}`)))).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
    ])
    expect(pool.stats().total).toBeLessThanOrEqual(4)
    // one that was being opened for somebody who has left
    await until(async () => pool.stats().idle === pool.stats().total, 2_000)
  })

  test('just when the answer arrives does no harm', async () => {
    const pool = poolWith()
    for (let i = 0; i < 100; i++) {
      const controller = new AbortController()
      const work = failure(pool.send([statement(i % 2 === 0 ? 'select 1' : 'select 1 / 0')], {}, controller.signal))
      if (i % 3 === 0) setImmediate(() => controller.abort())
      else setTimeout(() => controller.abort(), i % 3)
      const outcome = await work
      expect(outcome === 'no error' || outcome instanceof PgCancelled || outcome instanceof PgError).toBe(true)
    }
    expect(await pool.ask('select 1')).toBe('1')
  })
})

describe('a backend that ends', () => {
  test('under a batch: PgUnavailable, and the next batch is served', async () => {
    const pool = poolWith()
    const owner = await database.connect()
    const pid = await pidOf(pool)
    const work = failure(pool.send([statement('insert into kept values (2)'), statement('select pg_sleep(30) as victim_a')]))
    await until(async () => (await running('victim_a')) === 1, 20_000)
    await owner.query('select pg_terminate_backend($1)', [pid])
    expect(await work).toMatchObject({ name: 'PgUnavailable', reason: 'connection lost' })
    expect(await pool.ask('select count(*) from kept')).toBe('0')
    expect(pool.stats().total).toBe(1)
  })

  const kill = async (text: string) => {
    const owner = await database.connect()
    const pids = async () => {
      const { rows } = await owner.query(
        `select pid from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()`,
        [`%${text}%`],
      )
      return rows.map(({ pid }) => Number(pid))
    }
    await until(async () => (await pids()).length === 1, 20_000)
    const [victim] = await pids()
    await owner.query('select pg_terminate_backend($1)', [victim])
    // else it could be taken for the one that comes in its place
    await until(async () => !(await pids()).includes(victim ?? 0), 20_000)
    await owner.end()
  }

  test('under a question: it is asked again, once', async () => {
    const pool = poolWith()
    const ask = (text: string) => pool.send([statement(text)], { access: 'read only' })
    const saved = ask(`select 'here' from pg_sleep(1) as victim_b`)
    await kill('victim_b')
    expect(await saved).toEqual([[['here']]])
    const lost = failure(ask('select pg_sleep(30) as victim_c'))
    await kill('victim_c')
    await kill('victim_c')
    expect(await lost).toMatchObject({ name: 'PgUnavailable', reason: 'connection lost' })
    expect(await pool.ask('select 1')).toBe('1')
  })

  test('under a statement of the login: PgUnavailable, and whoever only asks may ask again', async () => {
    const pool = poolWith()
    const lost = failure(pool.query(statement('select pg_sleep(30) as victim_d')))
    await kill('victim_d')
    expect(await lost).toMatchObject({ name: 'PgUnavailable', reason: 'connection lost' })
    const saved = askAgain(pool.query)(statement(`select 'here' from pg_sleep(1) as victim_e`))
    await kill('victim_e')
    expect(await saved).toEqual([['here']])
    const twice = failure(askAgain(pool.query)(statement('select pg_sleep(30) as victim_f')))
    await kill('victim_f')
    await kill('victim_f')
    expect(await twice).toMatchObject({ name: 'PgUnavailable' })
  })

  test('while idle is replaced, and told of', async () => {
    const told: string[] = []
    const pool = poolWith({ onIdleError: (error) => told.push(error.message) })
    const owner = await database.connect()
    await owner.query('select pg_terminate_backend($1)', [await pidOf(pool)])
    await until(async () => pool.stats().total === 0, 20_000)
    expect(told).toHaveLength(1)
    expect(await pool.ask('select 1')).toBe('1')
  })

  test('all of them at once under load: errors are PgUnavailable or none, then all is well', async () => {
    const pool = poolWith({ maxConnections: 5 })
    const owner = await database.connect()
    const work = Array.from({ length: 60 }, (_, i) => failure(pool.send([statement(`select pg_sleep(0.02), ${i} as victim_b`)])))
    await sleep(60)
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pool test' and datname = current_database()`,
    )
    for (const outcome of await Promise.all(work)) {
      expect(outcome === 'no error' || outcome instanceof PgUnavailable, String(outcome)).toBe(true)
    }
    expect(await Promise.all(Array.from({ length: 10 }, () => pool.ask('select 1')))).toEqual(Array.from({ length: 10 }, () => '1'))
  })

  test('a statement of another server’s failure (class 08) is an answer, not a lost connection', async () => {
    const pool = poolWith()
    const pid = await pidOf(pool)
    expect(await failure(pool.send([statement(`do $$ begin raise exception 'far away' using errcode = '08001'; end $$`)]))).toMatchObject({
      name: 'PgError',
      sqlstate: '08001',
    })
    expect(await pidOf(pool)).toBe(pid)
  })
})

describe('a backend that stands still', () => {
  const mayStop = async (pool: TestPool): Promise<number | null> => {
    const pid = await pidOf(pool)
    try {
      process.kill(pid, 'SIGSTOP')
      frozen.add(pid)
      return pid
    } catch {
      return null
    }
  }

  test('is given up after the deadline, and the pool goes on', async (context) => {
    const pool = poolWith({ statementTimeoutMs: () => 300, graceMs: milliseconds(300), maxConnections: 1 })
    if ((await mayStop(pool)) === null) return context.skip('the server runs elsewhere')
    const startedAt = performance.now()
    expect(await failure(pool.send([statement('select 1')]))).toMatchObject({ name: 'PgUnavailable', reason: 'deadline passed' })
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    expect(await pool.ask('select 1')).toBe('1')
    expect(pool.stats()).toEqual({ total: 1, idle: 1, waiting: 0 })
  })

  test('does not keep a caller who leaves, and is given up too', async (context) => {
    const pool = poolWith({ statementTimeoutMs: () => 300, graceMs: milliseconds(300), maxConnections: 1 })
    if ((await mayStop(pool)) === null) return context.skip('the server runs elsewhere')
    const controller = new AbortController()
    const work = failure(pool.send([statement('select 1')], {}, controller.signal))
    await sleep(50)
    controller.abort()
    expect(await work).toBeInstanceOf(PgCancelled)
    expect(await pool.ask('select 1')).toBe('1')
  })

  test('does not keep those on other connections', async (context) => {
    const pool = poolWith({ statementTimeoutMs: () => 3_000, graceMs: milliseconds(500), maxConnections: 2 })
    if ((await mayStop(pool)) === null) return context.skip('the server runs elsewhere')
    const stuck = failure(pool.send([statement('select 1')]))
    for (let i = 0; i < 20; i++) expect(await pool.ask('select 1')).toBe('1')
    expect(await isSettled(stuck)).toBe(false)
    expect(await stuck).toBeInstanceOf(PgUnavailable)
  })
})

describe('a statement of the login itself', () => {
  test('that is not answered in time gives its connection up, and the next one is served', async () => {
    const pool = poolWith()
    const before = (await pool.query(statement('select pg_backend_pid()')))[0]?.[0]
    const startedAt = performance.now()
    expect(await failure(pool.query(statement('select pg_sleep(30)'), milliseconds(200)))).toMatchObject({
      name: 'PgUnavailable',
      reason: 'deadline passed',
    })
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    expect(pool.stats()).toMatchObject({ total: 0, waiting: 0 })
    expect((await pool.query(statement('select pg_backend_pid()')))[0]?.[0]).not.toBe(before)
  })
})

describe('a lock that somebody else holds', () => {
  test('is waited for as long as was said, and no longer', async () => {
    const pool = poolWith({ lockWaitMs: milliseconds(200) })
    const owner = await database.connect()
    await owner.query('begin; lock table kept in access exclusive mode')
    const startedAt = performance.now()
    expect(await failure(pool.send([statement('select * from kept')]))).toMatchObject({ name: 'PgError', sqlstate: '55P03' })
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    await owner.query('rollback')
    expect(await failure(pool.send([statement('select * from kept')]))).toBe('no error')
  })
})

describe('a pool with everything busy', () => {
  test('lets as many wait as it was told, and refuses one more at once', async () => {
    const pool = poolWith({ maxWaiting: 3 })
    await pidOf(pool)
    const holder = pool.send([statement('select pg_sleep(0.5)')])
    const waiting = Array.from({ length: 3 }, (_, i) => pool.ask(`select ${i}`))
    const refused = failure(pool.send([statement('select 4')]))
    expect(await isSettled(refused)).toBe(true)
    expect(await refused).toMatchObject({ name: 'PgUnavailable', reason: 'pool exhausted' })
    await holder
    expect(await Promise.all(waiting)).toEqual(['0', '1', '2'])
  })

  test('that nobody may wait for serves as many as it has connections', async () => {
    const pool = poolWith({ maxWaiting: 0, maxConnections: 2 })
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.all(Array.from({ length: 3 }, () => failure(pool.send([statement('select pg_sleep(0.1)')]))))
      expect(outcomes.map((outcome) => outcome instanceof PgUnavailable)).toEqual([false, false, true])
    }
  })

  test('lets them wait as long as it was told', async () => {
    const pool = poolWith({ waitMs: milliseconds(1_000) })
    await pidOf(pool)
    const holder = pool.send([statement('select pg_sleep(4)')])
    const startedAt = performance.now()
    expect(await failure(pool.send([statement('select 1')]))).toMatchObject({ name: 'PgUnavailable', reason: 'pool exhausted' })
    expect(performance.now() - startedAt).toBeGreaterThan(900)
    expect(await isSettled(holder)).toBe(false)
    await holder
    expect(await pool.ask('select 1')).toBe('1')
  })
})

describe('a server that is not there', () => {
  test('refusing: PgUnavailable at once', async () => {
    const url = new URL(database.url)
    url.port = '1'
    const pool = poolWith({ url: url.href })
    expect(await failure(pool.send([statement('select 1')]))).toMatchObject({ name: 'PgUnavailable', reason: 'unreachable' })
    expect(await failure(pool.query(statement('select 1')))).toMatchObject({ name: 'PgUnavailable', reason: 'unreachable' })
  })

  test('silent: PgUnavailable after the wait', async () => {
    const server: Server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const url = new URL(database.url)
    url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    const pool = poolWith({ url: url.href, waitMs: milliseconds(300) })
    expect(await failure(pool.send([statement('select 1')]))).toBeInstanceOf(PgUnavailable)
    server.close()
  })

  test('no such login, no such database: PgUnavailable whose message does not tell them', async () => {
    for (const change of [(url: URL) => (url.username = 'nobody_at_all'), (url: URL) => (url.pathname = '/nowhere_at_all')]) {
      const url = new URL(database.url)
      change(url)
      const error = await failure(poolWith({ url: url.href }).send([statement('select 1')]))
      expect(error).toBeInstanceOf(PgUnavailable)
      expect(String(error)).not.toMatch(/nobody|nowhere/)
    }
  })

  test('gone when a caller leaves: the cancel that does not arrive ends nothing', async () => {
    const sockets = new Set<Socket>()
    const target = new URL(database.url)
    const relay = createServer((socket) => {
      const upstream = connect(Number(target.port), target.hostname)
      sockets.add(socket)
      socket.pipe(upstream).pipe(socket)
      for (const end of [socket, upstream]) end.on('error', () => undefined)
      socket.on('close', () => upstream.destroy())
    })
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
    const address = relay.address()
    const url = new URL(database.url)
    url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    const far = poolWith({ url: url.href, statementTimeoutMs: () => 500, graceMs: milliseconds(200) })
    await far.ask('select 1')
    relay.close()
    const controller = new AbortController()
    const work = failure(far.send([statement('select pg_sleep(0.3)')], {}, controller.signal))
    await sleep(50)
    controller.abort()
    expect(await work).toBeInstanceOf(PgCancelled)
    await sleep(100)
    for (const socket of sockets) socket.destroy()
    expect(await failure(far.send([statement('select 1')]))).toBeInstanceOf(PgUnavailable)
  })
})

describe('the end of a pool', () => {
  test('does not wait for a server that stands still', async (context) => {
    const pool = poolWith({ statementTimeoutMs: () => 60_000, graceMs: milliseconds(300) })
    const pid = await pidOf(pool)
    try {
      process.kill(pid, 'SIGSTOP')
      frozen.add(pid)
    } catch {
      return context.skip('the server runs elsewhere')
    }
    const work = failure(pool.send([statement('select 1')]))
    await sleep(50)
    const startedAt = performance.now()
    await pool.end()
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    expect(await work).toBeInstanceOf(PgUnavailable)
  })

  test('waits for what runs and refuses what comes', async () => {
    const pool = poolWith()
    await pidOf(pool)
    const last = pool.ask('select 7 from pg_sleep(0.2)')
    await sleep(50)
    const ended = pool.end()
    expect(await failure(pool.send([statement('select 1')]))).toMatchObject({ name: 'PgUnavailable', reason: 'shutting down' })
    expect(await last).toBe('7')
    await ended
  })
})
