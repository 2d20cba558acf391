import { expect, test } from 'vitest'
import { leaversOf } from '../../src/std/leavers.ts'

test('those who are there when the signal aborts are told, once, and nobody who has left', () => {
  const gone = new AbortController()
  const told: string[] = []
  const [a, b, c] = ['a', 'b', 'c'].map((name) => () => void told.push(name)) as [() => void, () => void, () => void]
  for (const leave of [a, b, c]) leaversOf(gone.signal).add(leave)
  leaversOf(gone.signal).delete(b)
  gone.abort()
  gone.abort()
  expect(told).toEqual(['a', 'c'])
})

test('one who leaves while the others are told keeps none of them from it', () => {
  const gone = new AbortController()
  const told: string[] = []
  const first = () => {
    told.push('first')
    leaversOf(gone.signal).delete(first)
  }
  for (const leave of [first, () => void told.push('second')]) leaversOf(gone.signal).add(leave)
  gone.abort()
  expect(told).toEqual(['first', 'second'])
})

test('signals are apart', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const told: string[] = []
  leaversOf(one.signal).add(() => void told.push('one'))
  leaversOf(other.signal).add(() => void told.push('other'))
  other.abort()
  expect(told).toEqual(['other'])
})
