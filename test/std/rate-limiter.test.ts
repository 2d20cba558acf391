import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRateLimiter } from '../../src/std/rate-limiter.ts'

describe('a rate limiter', () => {
  test('lets a burst pass, then one an interval, and says how long to wait', () => {
    const { take } = createRateLimiter({ perSecond: 10, burstSeconds: 1, most: 10 })
    expect(Array.from({ length: 12 }, () => take('a', 1_000))).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 100])
    expect(take('a', 1_050)).toBe(50)
    expect(take('a', 1_100)).toBe(0)
    expect(take('a', 1_100)).toBe(100)
    expect(take('a', 5_000)).toBe(0)
  })

  test('counts each alone', () => {
    const { take } = createRateLimiter({ perSecond: 1, burstSeconds: 1, most: 10 })
    expect([take('a', 0), take('a', 0), take('b', 0)]).toEqual([0, 1_000, 0])
  })

  test('whoever waits as long as he is told may go on; refusals cost nothing', () => {
    const { take } = createRateLimiter({ perSecond: 7, burstSeconds: 2, most: 10 })
    let now = 0
    for (let i = 0; i < 1_000; i++) {
      const wait = take('a', now)
      if (wait > 0) {
        for (let j = 0; j < 50; j++) take('a', now)
        now += wait
        expect(take('a', now)).toBe(0)
      }
    }
  })

  test('never lets more pass than rate and burst together allow', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }),
        (perSecond, pauses) => {
          const { take } = createRateLimiter({ perSecond, burstSeconds: 5, most: 10 })
          let now = 0
          let passed = 0
          for (const pause of pauses) {
            now += pause
            if (take('a', now) === 0) passed++
          }
          expect(passed).toBeLessThanOrEqual(perSecond * (5 + now / 1000) + 1)
        },
      ),
    )
  })

  test('remembers a bounded number, those who came last', () => {
    const { take } = createRateLimiter({ perSecond: 1, burstSeconds: 1, most: 3 })
    for (const who of ['a', 'b', 'c', 'd']) expect(take(who, 0)).toBe(0)
    expect(take('b', 0)).toBeGreaterThan(0)
    expect(take('a', 0)).toBe(0)
  })
})
