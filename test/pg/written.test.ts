import { expect, test } from 'vitest'
import { createWritten } from '../../src/pg/written.ts'
import { milliseconds } from '../../src/std/brand.ts'
import { caller } from './pool-database.ts'

const ann = caller('authenticated', 'ann')
const bob = caller('authenticated', 'bob')

function written(most = 10) {
  let time = 1_000
  const memory = createWritten({ most, lifeMs: milliseconds(100), now: () => time })
  return { ...memory, pass: (ms: number) => (time += ms) }
}

test('a caller must see every write of their own, until it was seen, and nobody else’s', () => {
  const memory = written()
  memory.note(ann, 7n)
  // a transaction that began earlier and ended later
  memory.note(ann, 5n)
  expect(memory.mustSee(ann)).toEqual([7n, 5n])
  expect(memory.mustSee(bob)).toEqual([])
  memory.seen(ann, [7n])
  expect(memory.mustSee(ann)).toEqual([5n])
  memory.seen(ann, [5n])
  expect(memory.mustSee(ann)).toEqual([])
})

test('what another process told comes on top', () => {
  const memory = written()
  memory.note(ann, 7n)
  expect(memory.mustSee({ ...ann, after: [9n] })).toEqual([7n, 9n])
  expect(memory.mustSee({ ...bob, after: [9n] })).toEqual([9n])
  expect(memory.mustSee(bob)).toEqual([])
})

test('after a while every copy shows it', () => {
  const memory = written()
  memory.note(ann, 7n)
  memory.pass(101)
  expect(memory.mustSee(ann)).toEqual([])
})

test('a write in doubt, and more of them than are kept, are not asked for by number', () => {
  const memory = written()
  memory.doubt(ann)
  expect(memory.mustSee(ann)).toBe('unknown')
  memory.seen(ann, [])
  expect(memory.mustSee(ann)).toBe('unknown')
  memory.pass(101)
  expect(memory.mustSee(ann)).toEqual([])
  for (let xid = 1n; xid <= 17n; xid += 1n) memory.note(bob, xid)
  expect(memory.mustSee(bob)).toBe('unknown')
})

test('whoever is forgotten for want of room may be anybody', () => {
  const memory = written(2)
  for (const [i, name] of ['a', 'b', 'c'].entries()) memory.note(caller('authenticated', name), BigInt(i + 1))
  expect(memory.mustSee(ann)).toBe('unknown')
  memory.pass(101)
  expect(memory.mustSee(ann)).toEqual([])
})
