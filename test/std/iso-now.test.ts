import { afterEach, expect, test, vi } from 'vitest'
import { isoNow } from '../../src/std/iso-now.ts'

afterEach(() => void vi.useRealTimers())

test('is what Date writes, also when the clock is set back', () => {
  vi.useFakeTimers()
  const start = Date.UTC(2026, 1, 28, 23, 59, 58, 990)
  for (const offset of [0, 9, 10, 11, 109, 1_009, 1_010, 60_000, 1_000, 0, -86_400_000, 86_400_000 * 400]) {
    vi.setSystemTime(start + offset)
    expect(isoNow()).toBe(new Date(start + offset).toISOString())
  }
})
