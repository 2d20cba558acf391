import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PgError } from '../../src/pg/pg-error.ts'
import { crowd } from '../support/crowd.ts'
import { caller, type PoolDatabase, poolDatabase, statement, type TestPool } from './pool-database.ts'

let database: PoolDatabase
let pool: TestPool
beforeAll(async () => {
  database = await poolDatabase('run_scoped')
  const owner = await database.connect()
  await owner.query(`
    create table note (id int primary key, body text, author text default current_setting('request.jwt.claim.sub', true));
    grant select, insert, update, delete on note to authenticated, anon;
    create table parent (id int primary key);
    create table child (id int primary key, parent_id int references parent (id) deferrable initially deferred);
    grant select, insert on parent, child to authenticated;
  `)
  pool = database.pool()
})
afterAll(() => database.drop())

const notes = () => pool.ask('select count(*) from note')
const refused = async (work: Promise<unknown>): Promise<PgError> => {
  const error = await work.then(
    () => null,
    (failure: unknown) => failure,
  )
  if (!(error instanceof PgError)) throw new Error(`expected a PgError, had ${String(error)}`)
  return error
}
/** What a connection must look like whoever used it before. */
const clean = async () => {
  expect(
    await pool.query(statement(`select current_user = session_user, coalesce(current_setting('request.jwt.claims', true), '')`)),
  ).toEqual([['t', '']])
  expect(pool.stats()).toEqual({ total: 1, idle: 1, waiting: 0 })
}

describe('a batch', () => {
  test('is one trip, whatever the number of its statements', async () => {
    await notes()
    const before = pool.trips.length
    const rows = await pool.send([
      statement('select 1::int4, null::text'),
      statement('select n::int4 from generate_series(1, $1::int4) n', '3'),
      statement('select 1::int4 where false'),
      statement('set local work_mem = 4096'),
      statement('select'),
    ])
    expect(pool.trips.slice(before)).toEqual([5])
    expect(rows).toEqual([[['1', null]], [['1'], ['2'], ['3']], [], [], [[]]])
  })

  test('without statements still says who asks', async () => {
    expect(await pool.send([])).toEqual([])
    expect((await refused(pool.send([], { as: caller('nobody_we_know') }))).sqlstate).toBe('22023')
  })

  test('is one transaction: the same snapshot number, and all or nothing', async () => {
    const [first, second] = await pool.send([
      statement('select pg_current_xact_id()::text'),
      statement('select pg_current_xact_id()::text'),
    ])
    expect(first).toEqual(second)
    const error = await refused(
      pool.send([
        statement(`insert into note values (1, 'one')`),
        statement(`insert into note values (2, 'two')`),
        statement('select 1 / 0'),
      ]),
    )
    expect(error).toMatchObject({ statement: 2, sqlstate: '22012', message: 'division by zero' })
    expect(await notes()).toBe('0')
    await clean()
  })

  test('names the statement that failed; -1 is the preamble', async () => {
    const parse = await refused(pool.send([statement('select 1'), statement('selekt 1')]))
    expect(parse).toMatchObject({ statement: 1, sqlstate: '42601' })
    const bind = await refused(pool.send([statement('select $1::int4', 'one')]))
    expect(bind).toMatchObject({ statement: 0, sqlstate: '22P02' })
    const preamble = await refused(pool.send([statement('select 1')], { settings: [['datestyle', 'nonsense']] }))
    expect(preamble).toMatchObject({ statement: -1, sqlstate: '22023' })
    const constraint = await refused(pool.send([statement(`insert into note values (7), (7)`)]))
    expect(constraint).toMatchObject({ statement: 0, sqlstate: '23505', constraint: 'note_pkey', schema: 'public', table: 'note' })
    await clean()
  })

  test('the role is that of the caller when row security is decided, and nobody’s afterwards', async () => {
    expect(
      await pool.ask(`select current_user || ' ' || auth.uid()`, { as: caller('authenticated', '00000000-0000-4000-8000-000000000001') }),
    ).toBe('authenticated 00000000-0000-4000-8000-000000000001')
    expect(await pool.ask(`select current_user || ' ' || coalesce(auth.uid()::text, 'nobody')`, { as: caller('anon') })).toBe('anon nobody')
    await clean()
  })

  test('carries its settings and its search path', async () => {
    const how = { settings: [['app.colour', 'blue, "green"; --'] as const], searchPath: '"weird ""schema", public' }
    expect(await pool.ask(`select current_setting('app.colour') || '|' || current_setting('search_path')`, how)).toBe(
      'blue, "green"; --|"weird ""schema", public, pg_temp',
    )
    expect(await pool.ask(`select coalesce(current_setting('app.colour', true), '') || '|' || current_setting('search_path')`)).toBe(
      '|public, pg_temp',
    )
  })

  test('refuses a setting whose name is no name before anything is sent', async () => {
    const before = pool.trips.length
    await expect(pool.send([], { settings: [["a', 1)); --", 'x']] })).rejects.toThrow(TypeError)
    expect(pool.trips.length).toBe(before)
    await clean()
  })
})

describe('a constraint that is checked at commit', () => {
  test('is an error, not an answer', async () => {
    const error = await refused(pool.send([statement('insert into child values (1, 404) returning id'), statement('select 1')]))
    expect(error).toMatchObject({ sqlstate: '23503', constraint: 'child_parent_id_fkey', statement: 2 })
    expect(await pool.ask('select count(*) from child')).toBe('0')
    await clean()
  })

  test('is met by a later statement of the batch', async () => {
    await pool.send([statement('insert into child values (2, 2)'), statement('insert into parent values (2)')])
    expect(await pool.ask('select count(*) from child')).toBe('1')
  })
})

describe('a dry run', () => {
  test('answers as if, and leaves no trace', async () => {
    const before = pool.trips.length
    const rows = await pool.send([statement(`insert into note values (10, 'ten') returning id`), statement('select count(*) from note')], {
      end: 'roll back',
    })
    expect(rows).toEqual([[['10']], [['1']]])
    expect(pool.trips.length - before).toBe(1)
    expect(await notes()).toBe('0')
    await clean()
  })

  test('leaves none after an error either, and names the statement', async () => {
    for (const wrong of ['select 1 / 0', 'selekt', `select 'x'::int4`]) {
      const error = await refused(pool.send([statement(`insert into note values (11)`), statement(wrong)], { end: 'roll back' }))
      expect(error.statement).toBe(1)
      expect(await notes()).toBe('0')
      await clean()
    }
    const preamble = await refused(pool.send([statement('select 1')], { end: 'roll back', as: caller('nobody_we_know') }))
    expect(preamble.statement).toBe(-1)
    await clean()
  })

  test('between two others, by a hundred callers at once, changes nothing', async () => {
    const work = Array.from({ length: 100 }, (_, i) =>
      pool
        .send(
          [
            statement('insert into note values ($1::int4)', String(i % 2 === 0 ? 12 : 13)),
            ...(i % 3 === 0 ? [statement('select 1 / 0')] : []),
          ],
          {
            end: 'roll back',
          },
        )
        .catch((error: PgError) => expect(error.sqlstate).toBe('22012')),
    )
    await Promise.all(work)
    expect(await notes()).toBe('0')
    await clean()
  })
})

describe('a read-only batch', () => {
  test('refuses every kind of writing', async () => {
    const writes = [`insert into note values (20)`, `update note set body = ''`, `delete from note`, `select nextval('counter')`]
    const owner = await database.connect()
    await owner.query('create sequence counter; grant usage on counter to authenticated')
    for (const write of writes) {
      expect((await refused(pool.send([statement(write)], { access: 'read only' }))).sqlstate, write).toBe('25006')
    }
    await clean()
  })

  test('cannot be made writable from inside', async () => {
    const error = await refused(
      pool.send([statement(`select set_config('transaction_read_only', 'off', true)`), statement(`insert into note values (21)`)], {
        access: 'read only',
      }),
    )
    expect(error.sqlstate).toMatch(/25001|25006/)
    expect(await notes()).toBe('0')
  })

  test('says nothing about the next one', async () => {
    await pool.send([statement('select 1')], { access: 'read only' })
    await pool.send([statement(`insert into note values (22)`), statement(`delete from note`)])
    await clean()
  })
})

describe('the statement timeout', () => {
  test('ends the statement as 57014, each statement for itself', async () => {
    const short = database.pool({ statementTimeoutMs: (role) => (role === 'anon' ? 150 : 5_000) })
    const startedAt = performance.now()
    const error = await refused(short.send([statement('select 1'), statement('select pg_sleep(20)')], { as: caller('anon') }))
    expect(error).toMatchObject({ sqlstate: '57014', statement: 1 })
    expect(performance.now() - startedAt).toBeLessThan(3_000 * crowd())
    await short.send([statement('select pg_sleep(0.1)'), statement('select pg_sleep(0.1)')], { as: caller('anon') })
    expect(await short.ask(`select current_setting('statement_timeout')`)).toBe('5s')
    expect(short.stats()).toEqual({ total: 1, idle: 1, waiting: 0 })
    await short.end()
  })
})

describe('values', () => {
  test('pass unchanged: quotes, backslashes, line ends, the largest code points, nothing', async () => {
    const texts = [``, `'`, `"`, `\\`, `\r\n\t\u0001`, `$1`, `é é \u{10ffff} \u{1f469}\u200d\u{1f4bb}`, `{a,"b"}`, 'x'.repeat(100_000)]
    const rows = await pool.send(texts.map((text) => statement('select $1::text', text)))
    expect(rows).toEqual(texts.map((text) => [[text]]))
  })

  test('with U+0000 are refused by PostgreSQL, and the connection goes on', async () => {
    const error = await refused(pool.send([statement('select $1::text', 'a\u0000b')]))
    expect(error).toMatchObject({ sqlstate: '22021', statement: 0 })
    const claims = await refused(pool.send([statement('select 1')], { as: { ...caller('anon'), claims: '{"a":"\u0000"}' } }))
    expect(claims).toMatchObject({ sqlstate: '22021', statement: -1 })
    await clean()
  })

  test('of 32 MB go in and come back', async () => {
    const text = 'ä'.repeat(16 * 2 ** 20)
    expect((await pool.ask('select $1::text', {}, text)) === text).toBe(true)
    expect(await pool.ask('select octet_length($1::text)', {}, text)).toBe(String(32 * 2 ** 20))
    await clean()
  })

  test('65,535 of one statement are bound, one more is an error', async () => {
    const of = (count: number) =>
      statement(
        `select ${Array.from({ length: count }, (_, i) => `coalesce($${i + 1}::int4, 0)`).join(' + ')}`,
        ...Array.from({ length: count }, () => '1'),
      )
    expect(await pool.send([of(1_000)])).toEqual([[['1000']]])
    const many = (count: number) =>
      statement(
        `select cardinality(array[${Array.from({ length: count }, (_, i) => `$${i + 1}::int4`).join()}])`,
        ...Array.from({ length: count }, () => '1'),
      )
    expect(await pool.send([many(65_535)])).toEqual([[['65535']]])
    await expect(pool.send([many(65_536)])).rejects.toThrow()
    expect(await pool.ask('select 1')).toBe('1')
  })

  test('too few or too many are an error of that batch alone', async () => {
    expect((await refused(pool.send([statement('select $1::int4')]))).sqlstate).toBe('08P01')
    expect(await pool.ask('select 1')).toBe('1')
  })
})

describe('what a statement must not do', () => {
  test('leave a transaction open: the connection is given up', async () => {
    await pool.send([statement('begin')])
    expect(
      await pool.ask(`select count(*) from pg_stat_activity where application_name = 'pool test' and state = 'idle in transaction'`),
    ).toBe('0')
    expect(await pool.ask('select 1')).toBe('1')
  })
})
