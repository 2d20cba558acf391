import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Json, JsonNumber } from '../../../src/graphql/operation/json.ts'
import { JsonFault, jsonFrom, MAX_JSON_DEPTH, readJson } from '../../../src/graphql/operation/read-json.ts'
import { cpuTime } from './cpu-time.ts'

/** as JSON.parse would have it */
const plain = (json: Json): unknown => {
  if (json instanceof JsonNumber) return Number(json.text)
  if (Array.isArray(json)) return json.map(plain)
  if (typeof json !== 'object' || json === null) return json
  const object = {}
  for (const [key, value] of Object.entries(json))
    Object.defineProperty(object, key, { value: plain(value), enumerable: true, configurable: true, writable: true })
  return object
}

const accepts = (read: (text: string) => unknown, text: string): boolean => {
  try {
    read(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonFault) return false
    throw error
  }
}

describe('readJson', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(plain(readJson(text))).toEqual(JSON.parse(text))
      }),
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(plain(readJson(JSON.stringify(value, null, '\t ')))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('refuses what JSON.parse refuses', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '\\',
      '\\u00',
      '\n',
      ' ',
      '1',
      '-',
      '0',
      '.',
      'e',
      '+',
      'true',
      'nul',
      '\u2028',
      '\u0007',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (soup) => {
        expect(accepts(readJson, soup.join(''))).toBe(accepts(JSON.parse, soup.join('')))
      }),
      { numRuns: 5_000 },
    )
  })

  test.each(['9007199254740993', '-0', '1.10', '1e400', '1E-7', '0.30000000000000004', '123456789012345678901234567890'])(
    '%s keeps its text',
    (text) => {
      expect(readJson(`[${text}]`)).toEqual([new JsonNumber(text)])
    },
  )

  test('strings with U+0000 and halves of surrogate pairs are JSON', () => {
    expect(readJson('"a\\u0000\\ud83d"')).toBe('a\0\ud83d')
  })

  test('of a key given twice the last counts, and no key is special', () => {
    expect(plain(readJson('{"a":1,"a":2}'))).toEqual({ a: 2 })
    const odd = readJson('{"__proto__":{"polluted":true},"constructor":1}') as { readonly [key: string]: Json }
    expect(Object.keys(odd)).toEqual(['__proto__', 'constructor'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('nesting ends at the limit, without a stack overflow', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(accepts(readJson, nested(MAX_JSON_DEPTH))).toBe(true)
    expect(() => readJson(nested(MAX_JSON_DEPTH + 1))).toThrow('JSON nests deeper than 200 levels')
    expect(() => readJson('{"a":'.repeat(500_000))).toThrow('JSON nests deeper than 200 levels')
  })

  test('takes time in proportion to the text', () => {
    const hostile = [
      `"${'\\\\'.repeat(500_000)}"`,
      `[${'1,'.repeat(500_000)}1]`,
      ' '.repeat(1_000_000),
      '1'.repeat(1_000_000),
      `"${'\ud83d'.repeat(900_000)}`,
    ]
    for (const text of hostile) {
      expect(cpuTime(() => accepts(readJson, text))).toBeLessThan(500)
    }
  })
})

describe('jsonFrom', () => {
  test('is what JSON.stringify would send', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(plain(jsonFrom(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
    const value = { a: undefined, b: () => 1, c: [undefined, Number.NaN], d: new Date(0), e: -0 }
    expect(plain(jsonFrom(value))).toEqual(JSON.parse(JSON.stringify(value)))
  })

  test('BigInts are numbers', () => {
    expect(jsonFrom({ n: 2n ** 63n })).toEqual({ n: new JsonNumber('9223372036854775808') })
  })

  test('what holds itself is refused', () => {
    const ring: { self?: unknown } = {}
    ring.self = ring
    expect(() => jsonFrom(ring)).toThrow(JsonFault)
  })
})
