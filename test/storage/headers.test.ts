import { describe, expect, it } from 'vitest'
import { bytes } from '../../src/std/brand.ts'
import { contentDisposition } from '../../src/storage/content-disposition.ts'
import { isActive, servedType } from '../../src/storage/media-type.ts'
import { robotsTag } from '../../src/storage/robots-tag.ts'
import { userMetadata } from '../../src/storage/user-metadata.ts'

describe('Content-Disposition', () => {
  it.each<[string | undefined, string | null]>([
    [undefined, null],
    ['', 'attachment;'],
    ['b.txt', "attachment; filename=b.txt; filename*=UTF-8''b.txt"],
    ['a\r\nSet-Cookie: x', "attachment; filename=a%0D%0ASet-Cookie%3A%20x; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x"],
    ['../"x"', "attachment; filename=..%2F%22x%22; filename*=UTF-8''..%2F%22x%22"],
    ['ü 日', "attachment; filename=%C3%BC%20%E6%97%A5; filename*=UTF-8''%C3%BC%20%E6%97%A5"],
    ['\0', "attachment; filename=%00; filename*=UTF-8''%00"],
    ['\ud800', "attachment; filename=%EF%BF%BD; filename*=UTF-8''%EF%BF%BD"],
  ])('%j', (download, header) => {
    expect(contentDisposition(download)).toBe(header)
  })
})

describe('media types', () => {
  it.each(['text/html', 'TEXT/HTML', 'Text/Html; charset=utf-8'])('serves %s as plain text', (type) => {
    expect(servedType(type)).toBe('text/plain')
  })
  it.each([
    'image/svg+xml',
    'IMAGE/SVG+XML',
    'text/html',
    'application/xhtml+xml',
    'text/xml',
    'application/pdf',
    'text/javascript',
    'application/javascript',
    'text/css',
    'multipart/x-mixed-replace; boundary=x',
    'text/cache-manifest',
    'application/mathml+xml',
    'nonsense',
    '',
    'image/svg',
  ])('%j may be run by a browser', (type) => {
    expect(isActive(type)).toBe(true)
  })
  it.each([
    'image/png',
    'image/avif',
    'video/mp4; codecs="avc1"',
    'audio/ogg',
    'font/woff2',
    'text/plain;charset=utf-8',
    'text/csv',
    'application/json',
    'application/octet-stream',
  ])('%j is not', (type) => {
    expect(isActive(type)).toBe(false)
  })
})

describe('X-Robots-Tag', () => {
  it.each([
    'noindex',
    'noindex, nofollow',
    'all',
    'NoIndex',
    'googlebot: noindex',
    'googlebot: noindex, nofollow, max-snippet: 50',
    'BadBot: noindex, nofollow, googlebot: nofollow',
    'Mozilla/5.0: noindex',
    'a robot: noindex',
    'max-snippet:-1',
    'max-snippet:    50 , noindex',
    'max-video-preview: 0',
    'max-image-preview:large',
    'unavailable_after: 2030-01-01',
    'unavailable_after: 2025-12-03T13:09:53Z',
    'unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT',
    'unavailable_after:  Wed, 03 Dec 2025 13:09:53 GMT, noindex',
    'unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, googlebot: noindex',
    'googlebot: unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT',
    'unavailable_after: 2030-01-01,',
    'noindex,',
    'noindex, nofollow,   ',
    'nosnippet ,  none',
  ])('keeps %j as it is', (tag) => {
    expect(robotsTag(tag)).toBe(tag)
  })
  it('is none when empty', () => {
    expect(robotsTag('')).toBeNull()
    expect(robotsTag(undefined)).toBeNull()
  })
  it.each<[string, string]>([
    ['bogus', 'Invalid X-Robots-Tag rule: "bogus"'],
    ['noindex, bogus, nofollow', 'Invalid X-Robots-Tag rule: "bogus"'],
    ['no index', 'Invalid X-Robots-Tag rule: "no index"'],
    ['unknown-rule: bogus', 'Invalid X-Robots-Tag rule: "bogus"'],
    ['noindex,  , nofollow', 'X-Robots-Tag header contains empty rule'],
    [',noindex', 'X-Robots-Tag header contains empty rule'],
    [',', 'X-Robots-Tag header contains empty rule'],
    [':noindex', 'X-Robots-Tag header contains empty rule'],
    ['googlebot:', 'X-Robots-Tag user agent "googlebot" has no rules specified'],
    ['googlebot:   , noindex', 'X-Robots-Tag user agent "googlebot" has no rules specified'],
    ['max-snippet:-2', 'X-Robots-Tag "max-snippet" value must be an integer >= -1, got: "-2"'],
    ['max-snippet: 1e3', 'X-Robots-Tag "max-snippet" value must be an integer >= -1, got: "1e3"'],
    ['max-snippet:', 'X-Robots-Tag rule "max-snippet" requires a value'],
    ['max-image-preview: , noindex', 'X-Robots-Tag rule "max-image-preview" requires a value'],
    ['unavailable_after:', 'X-Robots-Tag rule "unavailable_after" requires a value'],
    ['max-image-preview:huge', 'X-Robots-Tag "max-image-preview" value must be one of: none, standard, large, got: "huge"'],
    ['unavailable_after: never', 'X-Robots-Tag "unavailable_after" value must be a valid date, got: "never"'],
    ['noindex\u0001', 'Invalid character'],
    [`noindex${', noindex'.repeat(500)}`, 'longer than'],
  ])('refuses %j', (tag, why) => {
    expect(() => robotsTag(tag)).toThrow(why)
  })
})

describe('user metadata', () => {
  const max = bytes(100)
  it('is the text of an object', () => {
    expect(userMetadata('{"a":[1,null,{"ü":"日本"}]}', max)).toBe('{"a":[1,null,{"ü":"日本"}]}')
  })
  it.each([undefined, '', '{"a":', 'text', '***'])('is none where there is no JSON: %j', (text) => {
    expect(userMetadata(text, max)).toBeNull()
  })
  it.each(['null', '5', 'true'])('is empty for %s', (text) => {
    expect(userMetadata(text, max)).toBe('{}')
  })
  it.each(['[1]', '"x"', '{"a":"\\u0000"}', '{"\\u0000":1}', '{"a":"\\ud800"}', '{"a":1e400}'])(
    'refuses what is no object, or jsonb could not hold: %s',
    (text) => {
      expect(() => userMetadata(text, max)).toThrow('invalid input syntax for type json')
    },
  )
  it('refuses what nests a thousand deep', () => {
    expect(() => userMetadata(`{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`, bytes(1e6))).toThrow('invalid input syntax')
  })
  it('is counted in bytes', () => {
    expect(() => userMetadata(`{"a":"${'ü'.repeat(50)}"}`, max)).toThrow('The user_metadata exceeded')
    expect(userMetadata(`{"a":"${'ü'.repeat(40)}"}`, max)).not.toBeNull()
  })
})
