import { describe, expect, it } from 'vitest'
import { bytes } from '../../src/std/brand.ts'
import {
  admitCacheControl,
  admitMediaType,
  admitSize,
  admitStored,
  allowedMediaTypes,
  type BucketRules,
  maxUploadBytes,
} from '../../src/storage/admit.ts'
import type { StorageLimits } from '../../src/storage/limits.ts'

const rules = (fileSizeLimit: number | null, allowed: readonly string[] | null = null): BucketRules => ({
  fileSizeLimit: fileSizeLimit === null ? null : bytes(fileSizeLimit),
  allowedMediaTypes: allowed,
})
const limits = (object: number | null, plain: number | null = null) =>
  ({ maxObjectBytes: object && bytes(object), maxPlainUploadBytes: plain && bytes(plain) }) as StorageLimits

describe('size', () => {
  it('is the least of all limits', () => {
    expect(maxUploadBytes('a', rules(null), limits(null))).toBe(Number.MAX_SAFE_INTEGER)
    expect(maxUploadBytes('a', rules(10), limits(20))).toBe(10)
    expect(maxUploadBytes('a', rules(30), limits(20))).toBe(20)
    expect(maxUploadBytes('a', rules(30), limits(20, 5))).toBe(5)
    expect(maxUploadBytes('a', rules(0), limits(20))).toBe(0)
  })
  it('is nought for the placeholder of a folder', () => {
    expect(maxUploadBytes('a/.emptyFolderPlaceholder', rules(10), limits(20))).toBe(0)
  })
  it('is taken at the limit, refused over it, and let pass unknown', () => {
    admitSize(bytes(10), bytes(10))
    admitSize(null, bytes(0))
    expect(() => admitSize(bytes(11), bytes(10))).toThrow('exceeded the maximum allowed size')
  })
  it('of a copy is not held to the limit for single requests', () => {
    admitStored({ size: 15, mediaType: 'a/b' }, 'k', rules(null), limits(20, 5))
    expect(() => admitStored({ size: 21, mediaType: 'a/b' }, 'k', rules(null), limits(20, 5))).toThrow('exceeded')
  })
})

describe('media type', () => {
  it.each<[readonly string[] | null, string]>([
    [null, 'anything/at-all'],
    [[], 'anything/at-all'],
    [['image/png'], 'image/png'],
    [['text/*'], 'text/csv;charset=utf-8'],
    [['*/*'], 'a/b'],
    [['text/plain;charset=utf-8'], 'text/plain;charset=utf-8'],
  ])('%j takes %j', (allowed, type) => {
    admitMediaType(type, 'k', rules(null, allowed))
  })
  it.each<[readonly string[], string]>([
    [['image/png'], 'IMAGE/PNG'],
    [['image/png'], 'image/png; q=1'],
    [['image/png'], 'image/*'],
    [['text/*'], 'textile/plain'],
    [['*'], 'text/plain'],
    [['foo*'], 'foobar/x'],
    [['text/plain;charset=utf-8'], 'text/plain; charset=utf-8'],
  ])('%j refuses %j', (allowed, type) => {
    expect(() => admitMediaType(type, 'k', rules(null, allowed))).toThrow(`mime type ${type} is not supported`)
  })
  it('does not matter for the placeholder of a folder', () => {
    admitMediaType('text/plain', 'a/.emptyFolderPlaceholder', rules(null, ['image/png']))
  })
  it.each(['text/plain\r\nx: y', 'a/b\0', `a/${'b'.repeat(1000)}`, 'téxt/plain'])('refuses what no header can carry: %j', (type) => {
    expect(() => admitMediaType(type, 'k', rules(null))).toThrow('is not supported')
  })
})

it.each(['max-age=3600\r\nX: y', 'a\0', 'x'.repeat(1001), 'é'])('refuses cache control that no header can carry: %j', (value) => {
  expect(() => admitCacheControl(value)).toThrow('Invalid character in response header "cache-control"')
})

describe('the list of a bucket', () => {
  it('drops empty entries', () => {
    expect(allowedMediaTypes(['', 'image/png', ''])).toEqual(['image/png'])
  })
  it.each(['image/*', '*/*', '*', 'foo*', 'text/plain; charset=utf-8', 'IMAGE/PNG', 'application/vnd.ms-excel', 'image/svg+xml'])(
    'takes %j',
    (type) => {
      expect(allowedMediaTypes([type])).toEqual([type])
    },
  )
  it('has an end', () => {
    const types = Array.from({ length: 7_281 }, () => 'image/png')
    expect(allowedMediaTypes(types)).toHaveLength(7_281)
    expect(() => allowedMediaTypes([...types, 'image/png'])).toThrow('allowed_mime_types may have 65536 characters')
  })
  it.each([
    'nope',
    'text/plain;foo=bar',
    'image/',
    '/png',
    'image/png ',
    '1',
    'image/*\0',
    'a/b;charset=<x>',
    `${'a'.repeat(990)}/${'b'.repeat(20)}`,
  ])('refuses %j', (type) => {
    expect(() => allowedMediaTypes([type])).toThrow('is not supported')
  })
})
