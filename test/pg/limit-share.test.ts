import { describe, expect, it } from 'vitest'
import { AS_SERVICE } from '../../src/auth/authenticate.ts'
import { limitShare } from '../../src/pg/limit-share.ts'
import { PgCancelled, PgUnavailable } from '../../src/pg/pg-error.ts'
import type { RunScoped, ScopedBatch } from '../../src/pg/scoped-batch.ts'
import { milliseconds } from '../../src/std/brand.ts'

const BATCH: ScopedBatch = { as: AS_SERVICE, access: 'read only', end: 'commit', settings: [], statements: [] }
const never = new AbortController().signal

/** A pool whose batches end when they are told to, and how many of them run. */
function pool() {
  const ends: ((error?: Error) => void)[] = []
  let running = 0
  let most = 0
  const run: RunScoped = () =>
    new Promise((resolve, reject) => {
      running++
      most = Math.max(most, running)
      ends.push((error) => {
        running--
        if (error) reject(error)
        else resolve([])
      })
    })
  return { run, end: (error?: Error) => ends.shift()?.(error), most: () => most, running: () => running }
}

const share = (run: RunScoped, options: Partial<Parameters<typeof limitShare>[1]> = {}) =>
  limitShare(run, { most: 2, waitMs: milliseconds(1_000), maxWaiting: 3, ...options })

describe('a share of a pool', () => {
  it('runs no more than its number at once, and all in the end, failed ones too', async () => {
    const { run, end, most, running } = pool()
    const limited = share(run)
    const all = Array.from({ length: 5 }, () => limited(BATCH, never))
    const outcomes = Promise.allSettled(all)
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setImmediate(resolve))
      expect(running()).toBe(Math.min(2, 5 - i))
      end(i === 1 ? new Error('refused') : undefined)
    }
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
    expect(most()).toBe(2)
  })

  it('turns away who waits too long, who leaves, and who would be one too many', async () => {
    const { run, end } = pool()
    const limited = share(run, { waitMs: milliseconds(20), maxWaiting: 2 })
    const first = [limited(BATCH, never), limited(BATCH, never)]
    const gone = new AbortController()
    const leaving = expect(limited(BATCH, gone.signal)).rejects.toThrow(PgCancelled)
    const late = expect(limited(BATCH, never)).rejects.toThrow(PgUnavailable)
    await expect(limited(BATCH, never)).rejects.toThrow(PgUnavailable)
    gone.abort()
    await leaving
    await late
    await expect(limited(BATCH, gone.signal)).rejects.toThrow(PgCancelled)
    end()
    end()
    await Promise.all(first)
    const next = limited(BATCH, never)
    await new Promise((resolve) => setImmediate(resolve))
    end()
    expect(await next).toEqual([])
  })
})
