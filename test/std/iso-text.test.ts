import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoText } from '../../src/std/iso-text.ts'

test('is what Date writes, also when the clock is set back', () => {
  const start = Date.UTC(2026, 1, 28, 23, 59, 58, 990)
  for (const offset of [0, 9, 10, 11, 109, 1_009, 1_010, 60_000, 1_000, 0, -86_400_000, 86_400_000 * 400])
    expect(isoText(start + offset)).toBe(new Date(start + offset).toISOString())
  fc.assert(fc.property(fc.date({ noInvalidDate: true }), (date) => isoText(date.getTime()) === date.toISOString()))
})
