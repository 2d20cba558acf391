import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PgError } from '../../src/pg/pg-error.ts'
import { caller, type PoolDatabase, poolDatabase, statement, type TestPool } from './pool-database.ts'

let database: PoolDatabase
beforeAll(async () => {
  database = await poolDatabase('prepared')
})
afterAll(() => database.drop())

/** Asked outside any batch, so that the question itself is not counted. */
const held = async (pool: TestPool): Promise<readonly string[]> =>
  (await pool.query(statement('select statement from pg_prepared_statements order by prepare_time, name'))).map(([text]) => text ?? '')

const fails = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => expect(error).toBeInstanceOf(PgError),
  )

describe('prepared statements', () => {
  test('are made once a role and text, and used again', async () => {
    const pool = database.pool()
    for (let i = 0; i < 5; i++) await pool.send([statement('select $1::int4', String(i)), statement('select $1::int4', '7')])
    expect((await held(pool)).filter((text) => text === 'select $1::int4')).toHaveLength(1)
    await pool.send([statement('select $1::int4', '1')], { as: caller('anon') })
    expect((await held(pool)).filter((text) => text === 'select $1::int4')).toHaveLength(2)
    await pool.end()
  })

  test('are not kept where they have many values', async () => {
    const pool = database.pool()
    const values = Array.from({ length: 600 }, (_, i) => String(i))
    const many = { text: `select ${values.map((_, i) => `$${i + 1}::int`).join(' + ')}`, values }
    for (let i = 0; i < 3; i++)
      expect(await pool.send([statement('select 2'), many, statement('select 3')])).toEqual([[['2']], [['179700']], [['3']]])
    expect((await held(pool)).filter((text) => text.includes('$600'))).toEqual([])
    expect(await held(pool)).toContain('select 3')
    await pool.end()
  })

  test('are bounded for all roles together, the least used closed on the server too', async () => {
    const pool = database.pool({ mostPrepared: 8 })
    for (let i = 0; i < 100; i++) await pool.send([statement(`select ${i}`)])
    for (let i = 0; i < 100; i++) await pool.send([statement(`select ${i}`)], { as: caller('anon') })
    const texts = (await held(pool)).filter((text) => !text.startsWith('/* preamble'))
    // one more may wait for the next exchange to be closed
    expect(texts.length).toBeLessThanOrEqual(8 + 1)
    expect(texts).toContain('select 99')
    await pool.end()
  })

  test('are bounded though every second batch fails', async () => {
    const pool = database.pool({ mostPrepared: 8 })
    for (let i = 0; i < 100; i++) {
      await fails(
        pool.send([statement(`select ${i} as good`), statement(`select 1 / 0 as bad_${i}`)], { end: i % 4 === 0 ? 'roll back' : 'commit' }),
      )
    }
    await pool.send([statement('select 1')])
    expect((await held(pool)).filter((text) => text.includes('good') || text.includes('bad')).length).toBeLessThanOrEqual(8 + 1)
    await pool.end()
  })

  test('one batch may use more than are kept', async () => {
    const pool = database.pool({ mostPrepared: 4 })
    const many = Array.from({ length: 30 }, (_, i) => statement(`select ${i}::int4, $1::text`, `v${i}`))
    for (let round = 0; round < 3; round++) {
      expect((await pool.send(many)).map(([row]) => row)).toEqual(many.map((_, i) => [String(i), `v${i}`]))
    }
    await pool.send([statement('select 1')])
    expect((await held(pool)).filter((text) => text.includes('$1::text')).length).toBeLessThanOrEqual(4 + 1)
    await pool.end()
  })

  test('a text that does not parse spoils neither its own name nor those around it', async () => {
    const pool = database.pool()
    const owner = await database.connect()
    const batch = [
      statement('select 1::int4 as before'),
      statement('select missing from later_made'),
      statement('select 2::int4 as behind'),
    ]
    for (let i = 0; i < 3; i++) {
      await fails(pool.send(batch))
      await fails(pool.send(batch, { end: 'roll back' }))
    }
    await owner.query(
      'create table later_made (missing int); insert into later_made values (42); grant select on later_made to authenticated',
    )
    expect(await pool.send(batch)).toEqual([[['1']], [['42']], [['2']]])
    expect(await pool.send(batch)).toEqual([[['1']], [['42']], [['2']]])
    await pool.end()
  })

  test('whose result changed its type are prepared anew, unseen by the caller', async () => {
    const pool = database.pool({ maxConnections: 3 })
    const owner = await database.connect()
    await owner.query('create table shape (a int); insert into shape values (1); grant select on shape to authenticated')
    const asked = () =>
      Promise.all(Array.from({ length: 6 }, () => pool.send([statement('select a from shape'), statement('select pg_sleep(0.02)')])))
    for (const type of ['text', 'numeric', 'text', 'int']) {
      expect((await asked()).map(([rows]) => rows?.[0]?.[0])).toEqual(Array.from({ length: 6 }, () => '1'))
      await owner.query(`alter table shape alter column a type ${type} using a::${type}`)
    }
    expect(await pool.ask('select a from shape')).toBe('1')
    await pool.end()
  })

  test('that somebody deallocated are prepared anew', async () => {
    const pool = database.pool()
    await pool.ask('select 5')
    await pool.query(statement('deallocate all'))
    expect(await pool.ask('select 5')).toBe('5')
    await pool.ask(`do $$ begin execute 'deallocate all'; end $$`)
    expect(await pool.ask('select 5')).toBe('5')
    await pool.end()
  })

  test('that were made with what is gone are prepared anew, once', async () => {
    const pool = database.pool()
    const owner = await database.connect()
    // a sequence does not go back with the transaction
    await owner.query(`create sequence looked; grant usage on looked to public;
      create function gone(times int) returns int language plpgsql volatile as $$ begin
        if nextval('looked') <= times then raise 'cache lookup failed for function 16729' using errcode = 'XX000'; end if;
        return 7;
      end $$`)
    expect(await pool.ask('select gone(1)')).toBe('7')
    await owner.query('alter sequence looked restart')
    await fails(pool.send([statement('select gone(2)')]))
    expect(await pool.ask('select gone(2)')).toBe('7')
    await pool.end()
  })

  test('can be done without, for poolers that cannot keep names', async () => {
    const pool = database.pool({ mostPrepared: 0 })
    for (let i = 0; i < 3; i++)
      expect(await pool.send([statement('select $1::int4', '5'), statement('select 6')])).toEqual([[['5']], [['6']]])
    await fails(pool.send([statement('selekt')]))
    expect(await held(pool)).toEqual([])
    await pool.end()
  })
})
