import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteRange, contentRange } from '../../src/storage/range.ts'

describe('one range of twenty bytes', () => {
  it.each<[string, number, number]>([
    ['bytes=0-0', 0, 0],
    ['bytes=5-', 5, 19],
    ['bytes=-3', 17, 19],
    ['bytes=10-100', 10, 19],
    ['bytes=-100', 0, 19],
    ['bytes=19-19', 19, 19],
    ['BYTES=0-1', 0, 1],
    ['bytes=0-18446744073709551616', 0, 19],
    ['bytes=-99999999999999999999', 0, 19],
  ])('%s is %d to %d', (header, first, last) => {
    expect(byteRange(header, 20)).toEqual({ first, last })
  })
  it.each(['bytes=20-', 'bytes=20-25', 'bytes=-0', 'bytes=99999999999999999999-', 'bytes=9007199254740993-'])(
    '%s cannot be had',
    (header) => {
      expect(() => byteRange(header, 20)).toThrow(expect.objectContaining({ status: 416, size: 20 }))
    },
  )
  it.each([
    '',
    'bytes=5-2',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=1',
    'bytes 0-1',
    'items=0-1',
    'bytes=0-1,3-4',
    'bytes= 0-1',
    'bytes=1.5-2',
    'bytes=1e2-',
    'bytes=0x0-',
    '0-4',
  ])('%j is none: all of it is served', (header) => {
    expect(byteRange(header, 20)).toBeNull()
  })
})

it.each(['bytes=0-0', 'bytes=0-', 'bytes=-1'])('of an empty object nothing can be had: %s', (header) => {
  expect(() => byteRange(header, 0)).toThrow('invalid range')
})

it('lies inside the object, whatever is asked', () => {
  const number = fc.oneof(fc.nat(40), fc.constantFrom('', '99999999999999999999'))
  fc.assert(
    fc.property(number, number, fc.nat(30), (from, to, size) => {
      try {
        const range = byteRange(`bytes=${from}-${to}`, size)
        if (range) expect(0 <= range.first && range.first <= range.last && range.last < size).toBe(true)
      } catch (error) {
        expect(error).toMatchObject({ code: 'InvalidRange' })
      }
    }),
  )
})

it('is told with the whole length', () => {
  const range = byteRange('bytes=2-4', 10)
  expect(range && contentRange(range, 10)).toBe('bytes 2-4/10')
})
