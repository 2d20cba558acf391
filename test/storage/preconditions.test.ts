import { describe, expect, it } from 'vitest'
import { httpDate, httpDateSeconds } from '../../src/storage/http-date.ts'
import { type Conditions, judge, mayWrite, rangeApplies } from '../../src/storage/preconditions.ts'

const etag = '"abc"'
const validators = { etag, lastModified: new Date('2026-01-02T03:04:05.678Z'), isUnchanged: true }
const at = 'Fri, 02 Jan 2026 03:04:05 GMT'
const before = 'Fri, 02 Jan 2026 03:04:04 GMT'
const after = 'Sat, 03 Jan 2026 00:00:00 GMT'

describe('reading', () => {
  it.each<[Conditions, string]>([
    [{}, 'proceed'],
    [{ ifNoneMatch: etag }, 'not modified'],
    [{ ifNoneMatch: `"x", ${etag}` }, 'not modified'],
    [{ ifNoneMatch: `W/${etag}` }, 'not modified'],
    [{ ifNoneMatch: '*' }, 'not modified'],
    [{ ifNoneMatch: '"x"' }, 'proceed'],
    [{ ifNoneMatch: '' }, 'proceed'],
    [{ ifNoneMatch: 'abc' }, 'proceed'],
    [{ ifNoneMatch: `"x${etag}` }, 'proceed'],
    [{ ifModifiedSince: at }, 'not modified'],
    [{ ifModifiedSince: after }, 'not modified'],
    [{ ifModifiedSince: before }, 'proceed'],
    [{ ifModifiedSince: 'nonsense' }, 'proceed'],
    [{ ifNoneMatch: '"x"', ifModifiedSince: after }, 'proceed'],
    [{ ifNoneMatch: etag, ifModifiedSince: before }, 'not modified'],
    [{ ifMatch: etag }, 'proceed'],
    [{ ifMatch: '*' }, 'proceed'],
    [{ ifMatch: '"x"' }, 'failed'],
    [{ ifMatch: `W/${etag}` }, 'failed'],
    [{ ifUnmodifiedSince: at }, 'proceed'],
    [{ ifUnmodifiedSince: before }, 'failed'],
    [{ ifUnmodifiedSince: 'nonsense' }, 'proceed'],
    [{ ifMatch: etag, ifUnmodifiedSince: before }, 'proceed'],
    [{ ifMatch: '"x"', ifNoneMatch: etag }, 'failed'],
  ])('%j: %s', (conditions, verdict) => {
    expect(judge(conditions, validators)).toBe(verdict)
  })
  it('holds no ETag against an object that has none', () => {
    expect(judge({ ifNoneMatch: '""' }, { ...validators, etag: null })).toBe('proceed')
    expect(judge({ ifMatch: '"x"' }, { ...validators, etag: null })).toBe('failed')
  })
})

it.each<[string | undefined, boolean]>([
  [undefined, true],
  [etag, true],
  ['"x"', false],
  [`W/${etag}`, false],
  [at, true],
  [before, false],
  [after, false],
  ['nonsense', false],
])('If-Range %j: the range applies: %s', (ifRange, applies) => {
  expect(rangeApplies(ifRange, validators)).toBe(applies)
})
it('If-Range by date does not hold for an object that was replaced, perhaps within the second', () => {
  expect(rangeApplies(at, { ...validators, isUnchanged: false })).toBe(false)
  expect(rangeApplies(etag, { ...validators, isUnchanged: false })).toBe(true)
})

it.each<[Parameters<typeof mayWrite>[0], { etag: string | null } | null, boolean]>([
  [{}, null, true],
  [{ ifNoneMatch: '*' }, null, true],
  [{ ifNoneMatch: '*' }, { etag }, false],
  [{ ifNoneMatch: '*' }, { etag: null }, false],
  [{ ifNoneMatch: '"x"' }, { etag }, true],
  [{ ifMatch: '*' }, null, false],
  [{ ifMatch: '*' }, { etag: null }, true],
  [{ ifMatch: etag }, { etag }, true],
  [{ ifMatch: '"x"' }, { etag }, false],
])('writing under %j over %j: %s', (conditions, current, may) => {
  expect(mayWrite(conditions, current)).toBe(may)
})

describe('HTTP dates', () => {
  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])('%s', (text) => {
    expect(httpDateSeconds(text)).toBe(784_111_777)
  })
  it.each(['', '1994-11-06', 'Sun, 06 Nov 1994', 'Sun, 06 Foo 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 CET'])(
    '%j is none',
    (text) => {
      expect(httpDateSeconds(text)).toBeNull()
    },
  )
  it('are written as they are read', () => {
    expect(httpDateSeconds(httpDate(new Date(784_111_777_999)))).toBe(784_111_777)
  })
})
