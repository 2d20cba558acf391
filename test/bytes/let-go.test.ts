import { randomBytes } from 'node:crypto'
import { markAsUntransferable } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { createLetGo } from '../../src/bytes/let-go.ts'

const own = (size: number): Buffer => {
  const chunk = Buffer.allocUnsafeSlow(size)
  randomBytes(size).copy(chunk)
  return chunk
}

describe('memory that is given back', () => {
  test('is that of a chunk which has it to itself', () => {
    const letGo = createLetGo()
    const chunk = own(65_536)
    letGo(chunk)
    expect([chunk.length, chunk.buffer.byteLength]).toEqual([0, 0])
  })

  test('is gone at once, whoever is never collected', () => {
    const letGo = createLetGo()
    const before = process.memoryUsage().arrayBuffers
    const kept = Array.from({ length: 200 }, () => {
      const chunk = Buffer.allocUnsafeSlow(1 << 20)
      letGo(chunk)
      return chunk
    })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 << 20)
    expect(kept).toHaveLength(200)
  })

  test('is not what others look at too, is small, is shared, or may not be moved', () => {
    const letGo = createLetGo()
    const whole = own(100_000)
    const parts = [whole.subarray(0, 50_000), whole.subarray(50_000)]
    const small = own(1_000)
    const shared = Buffer.from(new SharedArrayBuffer(65_536))
    const fixed = own(65_536)
    markAsUntransferable(fixed.buffer)
    for (const chunk of [...parts, small, shared, fixed, Buffer.alloc(0)]) letGo(chunk)
    expect([whole, ...parts, small, shared, fixed].map(({ length }) => length)).toEqual([100_000, 50_000, 50_000, 1_000, 65_536, 65_536])
  })
})
