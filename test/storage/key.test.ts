import { describe, expect, it } from 'vitest'
import { bucketId, isFolderPlaceholder, namedKey, newBucketId, newObjectKey, objectKey } from '../../src/storage/key.ts'

const LEGAL = "AZaz09_!.*'() &$=@;:+,-?"

describe('bucket ids', () => {
  it.each([LEGAL, '.', '..', 'o'.repeat(100), '__proto__', 'constructor', 'A', 'a'])('takes %j', (text) => {
    expect(newBucketId(text)).toBe(text)
  })
  it.each(['', 'a/b', 'a\\b', 'a#', 'a%20', 'a\n', 'a\0', 'é', '日本', '🙂', 'o'.repeat(101), 'x--table-s3'])('refuses %j', (text) => {
    expect(() => bucketId(text)).toThrow('Bucket name invalid')
  })
  it.each([' ', ' a', 'a '])('refuses a new one with blanks at an end: %j', (text) => {
    expect(() => newBucketId(text)).toThrow('Bucket name invalid')
  })
})

describe('object keys', () => {
  it.each([
    LEGAL,
    `a/${LEGAL}/b`,
    '/a',
    'a/',
    '//',
    'a//b',
    '...',
    '.hidden',
    'a.',
    '..a',
    'a/.../b',
    ' ',
    "o'brien.txt",
    '$1.txt',
    'k'.repeat(1024),
  ])('takes %j for a new object', (text) => {
    expect(newObjectKey(text)).toBe(text)
  })
  it.each([
    '',
    'a%b',
    'a#b',
    'a[b',
    'a{b',
    'a"b',
    'a<b',
    'a|b',
    'a\\b',
    'a^b',
    'a`b',
    'a~b',
    'a\tb',
    'a\nb',
    'a\u007fb',
    'a\0b',
    'é',
    '🙂',
    '\u00a0',
    '\ud800',
  ])('refuses %j everywhere', (text) => {
    expect(() => objectKey(text)).toThrow(`Invalid key: ${text}`)
    expect(() => newObjectKey(text)).toThrow('Invalid key')
  })
  it.each(['.', '..', './a', '../a', 'a/./b', 'a/../b', 'a/..', '../../etc/passwd', 'k'.repeat(1025)])(
    'lets %j be asked for, never made',
    (text) => {
      expect(objectKey(text)).toBe(text)
      expect(() => newObjectKey(text)).toThrow('Invalid key')
    },
  )
  it('takes any text that PostgreSQL can hold for what is only named', () => {
    expect(namedKey('bad#é\n')).toBe('bad#é\n')
    expect(namedKey('')).toBe('')
    for (const text of ['a\0b', 'a\ud800b', '\udfff']) expect(() => namedKey(text)).toThrow('Invalid key')
  })
  it('knows the placeholder of an empty folder by its end', () => {
    expect(['.emptyFolderPlaceholder', 'a/.emptyFolderPlaceholder', 'a/x.emptyFolderPlaceholder'].every(isFolderPlaceholder)).toBe(true)
    expect(isFolderPlaceholder('.emptyFolderPlaceholder/a')).toBe(false)
  })
})
