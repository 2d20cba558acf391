import { describe, expect, it } from 'vitest'
import { bytes, seconds } from '../../src/std/brand.ts'
import { FILE_SIZE_PATTERN, fileSizeLimit, type StorageLimits, signedUrlLife } from '../../src/storage/limits.ts'

describe('limits of buckets', () => {
  it.each<[number | string, number]>([
    [0, 0],
    [1024, 1024],
    ['20MB', 20_000_000],
    ['20mb', 20_000_000],
    ['1.5MB', 1_500_000],
    ['0.5KB', 500],
    ['52.4MB', 52_400_000],
    ['1.1KB', 1_100],
    ['1024B', 1_024],
    ['12345678B', 12_345_678],
    ['1.9B', 1],
    ['1000GB', 1e12],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('reads %j as %d', (text, size) => {
    expect(fileSizeLimit(text, null)).toBe(size)
  })
  it.each(['20 MB', '1TB', '-1MB', 'MB', '1e3B', '', '20'])('refuses %j', (text) => {
    expect(new RegExp(FILE_SIZE_PATTERN).test(text)).toBe(false)
    expect(() => fileSizeLimit(text, null)).toThrow('Invalid file size format')
  })
  it.each([53_000_000, '1GB', '99999999999999999999GB'])('refuses %j where the server takes 52,428,800 bytes', (limit) => {
    expect(() => fileSizeLimit(limit, bytes(52_428_800))).toThrow('exceeded the maximum allowed size')
  })
  it('refuses what is no exact number of bytes, without a limit of the server, too', () => {
    for (const limit of [1e300, '9999999GB']) expect(() => fileSizeLimit(limit, null)).toThrow('exceeded')
  })
})

describe('the life of a signed address', () => {
  const limits = { maxSignedUrlLife: seconds(1e15) } as StorageLimits
  const now = new Date('2026-01-01')
  it('ends before the clock does', () => {
    expect(signedUrlLife(31_536_000, now, limits)).toBe(31_536_000)
    for (const life of [9_007_199_254_740, Number.MAX_SAFE_INTEGER, 1e300]) {
      expect(() => signedUrlLife(life, now, limits)).toThrow('Invalid Parameter expiresIn')
    }
  })
  it('is no longer than the server allows', () => {
    expect(() => signedUrlLife(61, now, { ...limits, maxSignedUrlLife: seconds(60) })).toThrow('Invalid Parameter expiresIn')
  })
})
