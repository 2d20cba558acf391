import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cell } from '../../src/pg/scoped-batch.ts'
import { answerMemory } from '../../src/std/answer-memory.ts'
import { caller, type PoolDatabase, poolDatabase, statement, type TestPool } from './pool-database.ts'

let database: PoolDatabase
let pool: TestPool
beforeAll(async () => {
  database = await poolDatabase('answer_memory')
  pool = database.pool({ maxConnections: 6 })
})
afterAll(() => database.drop())

const batch = (text: string, ...values: string[]) => ({
  as: caller('authenticated'),
  access: 'read only' as const,
  end: 'commit' as const,
  settings: [],
  statements: [statement(text, ...values)],
})
const stay = new AbortController().signal
const letter = (i: number): string => String.fromCharCode(97 + (i % 26))
const LONG = 'select repeat($1::text, $2::int)'

test('what is handed on stays as it is until it is given back, whatever comes meanwhile, and its memory is used again', async () => {
  const before = answerMemory.lent()
  const ask = async (i: number): Promise<void> => {
    const length = 5_000 + ((i * 7_919) % 110_000)
    const [rows] = await pool.runForBytes(batch(LONG, letter(i), String(length)), stay)
    const [cell] = (rows?.[0] ?? []) as readonly Cell[]
    await sleep(i % 7)
    expect(Buffer.isBuffer(cell), `${length} bytes`).toBe(true)
    expect((cell as Buffer).equals(Buffer.alloc(length, letter(i)))).toBe(true)
    answerMemory.giveBack(cell as Buffer)
  }
  await Promise.all(Array.from({ length: 300 }, (_, i) => ask(i)))
  expect(answerMemory.lent()).toBe(before)
})

test('two values of one row are given back together', async () => {
  const before = answerMemory.lent()
  const [rows] = await pool.runForBytes(batch(`select repeat('a', 30000), repeat('b', 30000), 'short'`), stay)
  const [a, b, short] = (rows?.[0] ?? []) as readonly Cell[]
  expect(short).toBe('short')
  for (const [cell, of] of [
    [a, 'a'],
    [b, 'b'],
  ] as const)
    expect((cell as Buffer).equals(Buffer.alloc(30_000, of))).toBe(true)
  answerMemory.giveBack(a as Buffer)
  answerMemory.giveBack(b as Buffer)
  expect(answerMemory.lent()).toBe(before)
})

test('what becomes text, and what nobody wants, is given back at once', async () => {
  const before = answerMemory.lent()
  const [rows] = await pool.run(batch(LONG, 'x', '40000'), stay)
  expect(rows?.[0]?.[0]).toBe('x'.repeat(40_000))
  // the preamble's row tells all that it has set
  const many = { ...caller('authenticated'), claims: JSON.stringify({ role: 'authenticated', many: 'y'.repeat(20_000) }) }
  expect(await pool.run({ ...batch('select 1'), as: many }, stay)).toEqual([[['1']]])
  expect(answerMemory.lent()).toBe(before)
})
