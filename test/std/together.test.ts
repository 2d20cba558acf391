import { expect, test } from 'vitest'
import { together } from '../../src/std/together.ts'

/** Answers each call when it is told to. */
function gate(most: number) {
  const calls: { readonly keys: readonly string[]; readonly end: (error?: Error) => void }[] = []
  const ask = together<string, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(new Map(keys.map((key) => [key, key.toUpperCase()]))))
        calls.push({ keys, end })
      }),
    most,
  )
  return { ask, calls, turn: () => new Promise(setImmediate) }
}

test('keys that come while a call runs go together into the next', async () => {
  const { ask, calls, turn } = gate(10)
  const first = ask('a')
  await turn()
  const others = [ask('b'), ask('c')]
  await turn()
  expect(calls.map(({ keys }) => keys)).toEqual([['a']])
  calls[0]?.end()
  expect(await first).toBe('A')
  await turn()
  expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c']])
  calls[1]?.end()
  expect(await Promise.all(others)).toEqual(['B', 'C'])
})

test('a call takes no more keys than it may', async () => {
  const { ask, calls, turn } = gate(2)
  const all = ['a', 'b', 'c', 'd', 'e'].map(ask)
  for (let i = 0; i < 3; i++) {
    await turn()
    expect(calls).toHaveLength(i + 1)
    calls[i]?.end()
  }
  expect(await Promise.all(all)).toEqual(['A', 'B', 'C', 'D', 'E'])
  expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
})

test('a key that is under way is not asked about twice', async () => {
  const { ask, calls, turn } = gate(10)
  const first = ask('a')
  await turn()
  const second = ask('a')
  calls[0]?.end()
  expect(await Promise.all([first, second])).toEqual(['A', 'A'])
  expect(calls).toHaveLength(1)
})

test('a failure is told to all of its call, and the next one goes on', async () => {
  const { ask, calls, turn } = gate(10)
  const first = ask('a')
  await turn()
  const second = ask('b')
  calls[0]?.end(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  await turn()
  calls[1]?.end()
  expect(await second).toBe('B')
})
