import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { joinNext } from '../../src/std/join-next.ts'

/** Work whose ends a test decides. */
function held() {
  const ends: { readonly key: string; readonly end: (error?: Error) => void }[] = []
  const work = (key: string) =>
    new Promise<void>((resolve, reject) => {
      ends.push({ key, end: (error) => (error ? reject(error) : resolve()) })
    })
  return { work, ends }
}

test('who asks while it runs is served by the next run, together with all others; no run serves who came after it began', async () => {
  const { work, ends } = held()
  const ask = joinNext(work)
  const done: string[] = []
  const asked = (name: string) => ask('a').then(() => done.push(name))
  asked('first')
  asked('second')
  asked('third')
  expect(ends.length).toBe(1)
  ends[0]?.end()
  await turn()
  expect(done).toEqual(['first'])
  expect(ends.length).toBe(2)
  asked('fourth')
  ends[1]?.end()
  await turn()
  expect(done).toEqual(['first', 'second', 'third'])
  expect(ends.length).toBe(3)
  ends[2]?.end()
  await turn()
  expect(done).toEqual(['first', 'second', 'third', 'fourth'])
  asked('fifth')
  expect(ends.length).toBe(4)
})

test('keys do not wait for each other, and a failure is told to those of its run alone', async () => {
  const { work, ends } = held()
  const ask = joinNext(work)
  const [first, second, other] = [ask('a'), ask('a'), ask('b')]
  expect(ends.map(({ key }) => key)).toEqual(['a', 'b'])
  ends[0]?.end(new Error('no disk'))
  await expect(first).rejects.toThrow('no disk')
  await turn()
  ends[1]?.end()
  ends[2]?.end()
  await Promise.all([second, other])
})
