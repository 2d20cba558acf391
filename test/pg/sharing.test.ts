import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { PgCancelled, PgUnavailable } from '../../src/pg/pg-error.ts'
import type { ScopedBatch } from '../../src/pg/scoped-batch.ts'
import { milliseconds } from '../../src/std/brand.ts'
import { crowd } from '../support/crowd.ts'
import { caller, type PoolDatabase, poolDatabase, statement, type TestPool } from './pool-database.ts'

let database: PoolDatabase
const pools: TestPool[] = []
beforeAll(async () => {
  database = await poolDatabase('sharing')
})
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()))
})
afterAll(() => database.drop())

function poolWith(options?: Parameters<PoolDatabase['pool']>[0]): TestPool {
  const pool = database.pool({ maxConnections: 8, ...options })
  pools.push(pool)
  return pool
}

const READ = { access: 'read only' } as const satisfies Partial<ScopedBatch>
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  )
/** Until it is known as quick. */
async function warm(pool: TestPool, text: string, ...values: readonly string[]): Promise<void> {
  for (let i = 0; i < 30; i++) await pool.ask(text, READ, ...values)
}
/** Backends on which something ran, by what it answered. */
const distinct = (answers: readonly unknown[]) => new Set(answers).size

describe('batches that only read and are quick', () => {
  test('share a connection, each with its own caller', async () => {
    const pool = poolWith()
    const text = `select pg_backend_pid() || ' ' || current_setting('request.jwt.claim.sub')`
    await warm(pool, text)
    const subjects = Array.from({ length: 60 }, (_, i) => `user ${i}`)
    const backends = async () => {
      const answers = await Promise.all(subjects.map((subject) => pool.ask(text, { ...READ, as: caller('authenticated', subject) })))
      expect(answers.map((answer) => answer?.replace(/^\d+ /, ''))).toEqual(subjects)
      return distinct(answers.map((answer) => answer?.split(' ')[0]))
    }
    // on a machine that has no processor free everything is slow for a while
    await expect.poll(backends).toBeLessThan(8)
    expect(pool.stats().waiting).toBe(0)
  })

  test('or may be asked again share one too, others that might write do not', async () => {
    const pool = poolWith()
    const backends = async (options: Partial<ScopedBatch>) => {
      const text = `select pg_backend_pid()::text`
      for (let i = 0; i < 30; i++) await pool.ask(text, options)
      return distinct(await Promise.all(Array.from({ length: 40 }, () => pool.ask(text, options))))
    }
    await expect.poll(() => backends({ access: 'read write', mayRepeat: true })).toBeLessThan(8)
    await expect.poll(() => backends({ access: 'read write' })).toBe(8)
  })

  test('are known by what they are about: a slow policy of one bucket is none of another', async () => {
    const pool = poolWith()
    const text = `select pg_backend_pid()::text from pg_sleep($1::float8)`
    const ask = (about: string, seconds: string) => pool.ask(text, { access: 'read write', mayRepeat: true, about }, seconds)
    const backends = async (about: string, seconds: string) =>
      distinct(await Promise.all(Array.from({ length: 24 }, () => ask(about, seconds))))
    for (let i = 0; i < 30; i++) await Promise.all([ask('quick', '0'), ask('slow', '0.005')])
    await expect.poll(() => backends('quick', '0')).toBeLessThan(8)
    await expect.poll(() => backends('slow', '0.005')).toBe(8)
    await expect.poll(() => backends('quick', '0')).toBeLessThan(8)
  })

  test('fail each for itself', async () => {
    const pool = poolWith()
    const text = 'select 1 / $1::int4'
    await warm(pool, text, '1')
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => failure(pool.ask(text, READ, String(i % 2)))))
    expect(outcomes.map((outcome) => outcome === 'no error')).toEqual(Array.from({ length: 20 }, (_, i) => i % 2 === 1))
  })

  test('do not wait for one of them that takes long', async () => {
    const pool = poolWith()
    const text = 'select 1 from pg_sleep($1::float8)'
    await warm(pool, text, '0')
    const slow = pool.ask(text, READ, '2')
    const startedAt = performance.now()
    const quick = Promise.all(Array.from({ length: 20 }, () => pool.ask(text, READ, '0')))
    expect(distinct(await quick)).toBe(1)
    expect(performance.now() - startedAt).toBeLessThan(1_500 * crowd())
    expect(await slow).toBe('1')
    expect(await pool.ask(text, READ, '0')).toBe('1')
  })

  test('are answered though the connection breaks under another', async () => {
    const owner = await database.connect()
    await owner.query(`
      create function end_session(really bool) returns void language sql security definer
        as 'select case when really then pg_terminate_backend(pg_backend_pid()) end'`)
    const pool = poolWith()
    const text = 'select end_session($1::bool)'
    await warm(pool, text, 'f')
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, i) => failure(pool.ask(text, READ, i === 0 ? 't' : 'f'))))
    expect(outcomes[0]).toBeInstanceOf(PgUnavailable)
    expect(outcomes.slice(1).filter((outcome) => outcome !== 'no error')).toEqual([])
  })

  test('do not find what another has left behind in the session', async () => {
    const pool = poolWith()
    const text = `select case when $1::bool then set_config('timezone', 'Asia/Tokyo', false) end, current_setting('timezone')`
    const zone = async (leaves: string) => (await pool.send([statement(text, leaves)], READ))[0]?.[0]?.[1]
    await warm(pool, text, 'f')
    const before = await zone('f')
    const [, ...others] = await Promise.all(Array.from({ length: 12 }, (_, i) => zone(i === 0 ? 't' : 'f')))
    expect([...new Set(others)]).toEqual([before])
    expect(await zone('f')).toBe(before)
  })

  test('are cancelled when their caller leaves and they go on', async () => {
    const pool = poolWith()
    const text = 'select 1 as leaver from pg_sleep($1::float8)'
    await warm(pool, text, '0')
    const gone = new AbortController()
    const work = failure(pool.send([statement(text, '30')], READ, gone.signal))
    await sleep(5)
    gone.abort()
    const startedAt = performance.now()
    expect(await work).toBeInstanceOf(PgCancelled)
    const owner = await database.connect()
    const running = async () =>
      (await owner.query(`select 1 from pg_stat_activity where state = 'active' and query like '%leaver%' and pid <> pg_backend_pid()`))
        .rowCount
    while ((await running()) !== 0) await sleep(20)
    expect(performance.now() - startedAt).toBeLessThan(2_000 * crowd())
    expect(await pool.ask(text, READ, '0')).toBe('1')
  })

  test('have a connection each once they were seen to be slow', async () => {
    const pool = poolWith()
    const text = 'select pg_backend_pid() from pg_sleep(0.1)'
    await Promise.all(Array.from({ length: 4 }, () => pool.ask('select 1 from pg_sleep(0.5)')))
    for (let i = 0; i < 3; i++) await pool.ask(text, READ)
    expect(distinct(await Promise.all(Array.from({ length: 4 }, () => pool.ask(text, READ))))).toBe(4)
  })
})

test('a statement that was analysed while a function was replaced is analysed again', async () => {
  const pool = poolWith({ maxConnections: 1 })
  const owner = await database.connect()
  const replace = `
    create function pick() returns int language plpgsql stable as 'begin return 7; end';
    create table picked (id int);
    grant select on picked to authenticated;`
  await owner.query(replace)
  // its function is looked up first, and then it waits for the table
  const text = 'select pick() + (select count(*) from picked)'
  await owner.query('begin; lock table picked in access exclusive mode')
  const waiting = pool.ask(text, READ)
  await sleep(200)
  await owner.query(`drop function pick(); drop table picked; ${replace}; commit`)
  expect(await waiting).toBe('7')
  expect(await pool.ask(text, READ)).toBe('7')
})

describe('questions that may take long', () => {
  const long = (pool: TestPool, text: string, signal = new AbortController().signal) =>
    pool.runForBytes(
      { as: caller('authenticated', 'ann'), access: 'read only', end: 'commit', settings: [], statements: [statement(text)] },
      signal,
    )

  test('leave a part of the connections to others, and all are answered in the end, refused ones too', async () => {
    const pool = poolWith({ maxConnections: 3, maxLong: 2 })
    const all = Array.from({ length: 6 }, (_, i) => failure(long(pool, i === 1 ? 'select 1 / 0' : `select ${i} from pg_sleep(0.3)`)))
    await sleep(100)
    expect(pool.stats()).toMatchObject({ idle: 0, total: 2 })
    expect(await pool.ask('select 1')).toBe('1')
    expect((await Promise.all(all)).filter((outcome) => outcome === 'no error')).toHaveLength(5)
  })

  test('keep the bytes of their answers, in one piece or in several, while others are answered on the same connection', async () => {
    const pool = poolWith({ maxConnections: 1, maxLong: 1 })
    const sizes = [4_095, 4_096, 20_000, 65_000, 70_000, 300_000]
    const text = (size: number, i: number) => `select repeat('${i}', ${size})`
    const answers = []
    for (const [i, size] of sizes.entries()) answers.push((await long(pool, text(size, i)))[0]?.[0]?.[0])
    for (const [i, size] of sizes.entries()) {
      const cell = answers[i] ?? ''
      expect(typeof cell).toBe(size < 4_096 ? 'string' : 'object')
      expect(Buffer.from(cell as string | Uint8Array).toString()).toBe(String(i).repeat(size))
    }
    const together = await Promise.all(sizes.map((size, i) => long(pool, text(size, i))))
    expect(together.map(([rows]) => Buffer.from(rows?.[0]?.[0] as string | Uint8Array).toString())).toEqual(
      sizes.map((size, i) => String(i).repeat(size)),
    )
  })

  test('that have been quick lately do not wait behind others that are not', async () => {
    const pool = poolWith({ maxConnections: 3, maxLong: 1, maxHeld: 2 })
    const whoIsFirst = async () => {
      for (let i = 0; i < 30; i++) await long(pool, 'select 1')
      const slow = Promise.all(Array.from({ length: 3 }, () => long(pool, 'select pg_sleep(0.4)'))).then(() => 'slow')
      const quick = Promise.all(Array.from({ length: 20 }, () => long(pool, 'select 1'))).then(() => 'quick')
      const first = await Promise.race([quick, slow])
      await Promise.all([quick, slow])
      return first
    }
    // on a machine that has no processor free nothing is quick for a while
    await expect.poll(whoIsFirst, { timeout: 20_000 }).toBe('quick')
  })

  test('are turned away where one waits too long, leaves, or would be one too many', async () => {
    const pool = poolWith({ maxConnections: 3, maxLong: 1, maxWaiting: 2, waitMs: milliseconds(300) })
    await pool.ask('select 1')
    const first = long(pool, 'select pg_sleep(1)')
    const gone = new AbortController()
    const leaving = failure(long(pool, 'select 1', gone.signal))
    const late = failure(long(pool, 'select 1'))
    expect(await failure(long(pool, 'select 1'))).toMatchObject({ reason: 'pool exhausted' })
    gone.abort()
    expect(await leaving).toBeInstanceOf(PgCancelled)
    expect(await late).toMatchObject({ reason: 'pool exhausted' })
    await first
    expect(await failure(long(pool, 'select 1'))).toBe('no error')
  })
})

describe('changes', () => {
  test('that wait for a lock leave a part of the connections to those who only ask, however many they are', async () => {
    const pool = poolWith({ maxConnections: 4, maxLong: 3, maxHeld: 3 })
    const owner = await database.connect()
    await owner.query('select pg_advisory_lock(7)')
    const changes = Array.from({ length: 6 }, (_, i) => failure(pool.ask(`select ${i} from pg_advisory_xact_lock(7)`)))
    await expect.poll(() => pool.stats()).toMatchObject({ idle: 0, total: 3 })
    expect(await pool.ask('select 1', READ)).toBe('1')
    const listing = pool.ask('select 2', { ...READ, ofAnyLength: true })
    expect(await Promise.race([listing, sleep(100).then(() => 'waits')])).toBe('waits')
    await owner.query('select pg_advisory_unlock(7)')
    expect(await listing).toBe('2')
    expect(await Promise.all(changes)).toEqual(changes.map(() => 'no error'))
  })
})
