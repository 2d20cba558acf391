import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { mediaOf, metadataOf, whyNotTheSame } from '../../../src/service/moving/object-facts.ts'
import { pathIn, peerKey } from '../../../src/service/moving/peer-files.ts'
import { bytes } from '../../../src/std/brand.ts'

const content = Buffer.from('content')
const md5 = createHash('md5').update(content).digest('hex')
const stored = { size: bytes(7), md5, sha256: createHash('sha256').update(content).digest('hex'), crc32: 0 }

describe('whether the bytes are those of the row', () => {
  const PARTS = `"${'a'.repeat(32)}-2"`
  it.each<[string, string | null, number | null, string | null, RegExp | null]>([
    ['by its MD5', `"${md5}"`, 7, null, null],
    ['by a weak tag in capitals', `W/"${md5.toUpperCase()}"`, 7, null, null],
    ['with another MD5', `"${'b'.repeat(32)}"`, 7, null, /its MD5 is/],
    ['with another length', `"${md5}"`, 8, null, /7 bytes came, and its row says 8/],
    ['with the tag of parts that the bucket has', PARTS, 7, PARTS, null],
    ['with the tag of parts that the bucket has not', PARTS, 7, `"${'c'.repeat(32)}-2"`, /its tag is c+-2/],
    ['with the tag of parts from a folder', PARTS, 7, '"18f2-7"', null],
    ['without a tag or length', null, null, null, null],
  ])('%s', (_, rowTag, size, fileTag, why) => {
    const said = whyNotTheSame(stored, { size, etag: rowTag }, { etag: fileTag, size: 7 })
    if (why === null) expect(said).toBe(null)
    else expect(said).toMatch(why)
  })
})

test('metadata is read for what it is, and made where there is none', () => {
  const file = { size: 7, etag: null, mediaType: 'text/css', cacheControl: null, open: () => Promise.reject(new Error('unused')) }
  expect(JSON.parse(metadataOf({ updatedAt: '2024-05-06T07:08:09.654321+00:00' }, stored, file))).toEqual({
    eTag: `"${md5}"`,
    size: 7,
    mimetype: 'text/css',
    cacheControl: 'no-cache',
    lastModified: '2024-05-06T07:08:09.654Z',
    contentLength: 7,
    httpStatusCode: 200,
  })
  expect(mediaOf('{"size":"12","mimetype":5,"eTag":"x"}')).toEqual({ size: 12, etag: 'x', mediaType: null, cacheControl: null })
  for (const text of [null, '[1]', 'null', '{"size":-1}']) expect(mediaOf(text).size).toBe(null)
})

test('keys are those of the peer, and never leave their folder', () => {
  const object = { bucketId: 'b', name: 'a/c.txt', version: 'v' }
  expect([peerKey('t', object), peerKey('', object), peerKey('t', { ...object, version: null })]).toEqual([
    't/b/a/c.txt/v',
    'b/a/c.txt/v',
    't/b/a/c.txt',
  ])
  expect(pathIn('/srv', 't/b/x/v')).toBe('/srv/t/b/x/v')
  expect(pathIn('/srv', 't/b/./a//c/v')).toBe('/srv/t/b/a/c/v')
  for (const key of ['../x', 't/../../x', 't/../x', 'a\0b', `t/${'x'.repeat(256)}`, '', '/']) expect(pathIn('/srv', key)).toBe(null)
})
