import { describe, expect, test } from 'vitest'
import { createDocumentCache } from '../../../src/graphql/operation/document-cache.ts'
import { DEFAULT_GRAPHQL_LIMITS } from '../../../src/graphql/operation/limits.ts'
import { operationKind } from '../../../src/graphql/operation/operation-kind.ts'
import { parseDocument } from '../../../src/graphql/operation/parse-document.ts'
import { rootsOf } from './read.ts'

describe('the operation that is meant', () => {
  test.each([
    ['{ a }', null, ['a']],
    ['query A { a }', null, ['a']],
    ['query A { a }', 'A', ['a']],
    ['query A { a } query B { b } mutation C { c }', 'C', ['c']],
    ['{ a } { b }', null, 'data absent: Anonymous operations must be the only defined operation'],
    ['query A { a } { b }', 'A', 'data absent: Anonymous operations must be the only defined operation'],
    ['query A { a } subscription S { s }', 'A', 'data absent: Anonymous operations must be the only defined operation'],
    ['query A { a } query A { b }', 'A', 'data absent: Operation names must be unique'],
    ['query A { a } query B { b }', null, 'data absent: Operation not found'],
    ['query A { a }', 'B', 'data absent: Operation not found'],
    ['{ a }', 'A', 'data absent: Operation not found'],
    ['{ a }', '', 'data absent: Operation not found'],
    ['fragment F on Query { a }', null, 'data absent: Operation not found'],
    ['subscription { a }', null, 'data absent: Subscriptions are not supported'],
    ['subscription S { a }', 'S', 'data absent: Operation not found'],
  ])('%s chosen by %s', (query, name, expected) => {
    expect(rootsOf(query, {}, name)).toEqual(expected)
  })

  test('the order of checks: syntax, variables, names, cycles, choice', () => {
    const cycle = 'fragment F on Query { ...F }'
    expect(rootsOf('{', [])).toMatch(/^data absent: query parse error/)
    expect(rootsOf('{ a } { b }', [])).toBe('data absent: variables must be an object')
    expect(rootsOf(`{ a } { b } ${cycle}`)).toBe('data absent: Anonymous operations must be the only defined operation')
    expect(rootsOf(`subscription { a } ${cycle}`)).toBe('data absent: Found a cycle between fragments')
  })

  test('its kind', () => {
    const kindOf = (query: string, operationName: string | null = null) =>
      operationKind({ query, variables: {}, operationName }, (text) => parseDocument(text, DEFAULT_GRAPHQL_LIMITS))
    expect(kindOf('{ a }')).toBe('query')
    expect(kindOf('query A { a } mutation B { b }', 'B')).toBe('mutation')
    expect(kindOf('{')).toBeNull()
    expect(kindOf('query A { a } mutation B { b }')).toBeNull()
  })
})

describe('syntax', () => {
  test.each([
    ['', '1:1'],
    ['# nothing', '1:10'],
    ['{ a', '1:4'],
    ['{ }', '1:3'],
    ['{ a { } }', '1:7'],
    ['{ a() }', '1:5'],
    ['{ a(b: ) }', '1:8'],
    ['{ a(b: "x) }', '1:13'],
    ['{ a(b: "\\q") }', '1:9'],
    ['{ a(b: "\\u{1F600}") }', '1:8'],
    ['{ a(b: "\\ud83d") }', '1:9'],
    ['{ a(b: 01) }', '1:9'],
    ['{ a(b: 9223372036854775808) }', '1:8'],
    ['{ a(b: [-9223372036854775809]) }', '1:9'],
    ['query ($a: Int = 9223372036854775808) { a }', '1:18'],
    ['query ($a: Int @x) { a }', '1:16'],
    ['type A { b: Int }', '1:1'],
    ['{ a }\nextend type A { b: Int }', '2:1'],
    ['fragment F($a: Int) on Query { a }', '1:11'],
    ['{\r\n  a;\r\n}', '2:4'],
  ])('%s', (query, place) => {
    expect(rootsOf(query)).toMatch(new RegExp(`^data absent: query parse error: Parse error at ${place}\n`))
  })

  test.each([
    ['\ufeff{ a }', ['a']],
    ['{ a(b: 9223372036854775807, c: -9223372036854775808) }', ['a(b: 9223372036854775807, c: -9223372036854775808)']],
    ['{ a(b: "\\ud83d\\ude00 \\b") }', ['a(b: "😀 \\b")']],
    ['{ a(b: """\n  x {{{ \\""" \\u{1}\n""") }', ['a(b: "x {{{ \\"\\"\\" \\\\u{1}")']],
    ['{ a(b: "{[(") # }}} "\n b }', ['a(b: "{[(")', 'b']],
    ['query Q @whatever(x: 1) { a }', ['a']],
    ['{ a(b: {c: 1, c: 2}) }', ['a(b: {c: 2})']],
    ['{ a(b: X, c: "X") }', ['a(b: "X", c: "X")']],
  ])('%s is fine', (query, expected) => {
    expect(rootsOf(query)).toEqual(expected)
  })
})

describe('variables', () => {
  test.each([
    ['query ($n: Int) { a(b: $n) }', { n: 1 }, 'a(b: 1)'],
    ['query ($n: Int) { a(b: $n) }', { n: null }, 'a(b: null)'],
    ['query ($n: Int!) { a(b: $n) }', {}, 'a(b: absent)'],
    ['query ($n: Int = 5) { a(b: $n) }', {}, 'a(b: 5)'],
    ['query ($n: Int = 5) { a(b: $n) }', { n: null }, 'a(b: null)'],
    ['query ($n: Int = null) { a(b: $n) }', {}, 'a(b: null)'],
    ['query ($n: Int = 1, $n: Int = 2) { a(b: $n) }', {}, 'a(b: 1)'],
    ['query ($n: Int, $n: Int = 2) { a(b: $n) }', {}, 'a(b: absent)'],
    ['query ($o: O = {x: [E, "t", true, 1.50]}) { a(b: $o) }', {}, 'a(b: {x: ["E", "t", true, 1.50]})'],
    ['{ a(b: $undeclared) }', { undeclared: [1, { x: null }] }, 'a(b: [1, {x: null}])'],
    ['{ a(b: [$x, {y: $y}]) }', { x: 'X' }, 'a(b: ["X", {y: absent}])'],
    ['{ a(b: $__proto__, c: $constructor, d: $toString) }', {}, 'a(b: absent, c: absent, d: absent)'],
    ['{ a(b: $__proto__) }', JSON.parse('{"__proto__": 1}'), 'a(b: 1)'],
    ['{ a(b: $n) }', { n: 9007199254740993n }, 'a(b: 9007199254740993)'],
    ['{ a(b: $n) }', { n: 1e3 }, 'a(b: 1000)'],
    ['{ a(b: $n) }', { n: 1.5 }, 'a(b: 1.5)'],
  ])('%s with %o', (query, variables, expected) => {
    expect(rootsOf(query, variables)).toEqual([expected])
  })

  test.each([[[1]], ['x'], [1], [true], [null]])('%o is no set of variables', (variables) => {
    expect(rootsOf('{ a }', variables)).toBe('data absent: variables must be an object')
  })

  test('text that PostgreSQL cannot hold is refused where it is used', () => {
    const nul = 'data null: invalid byte sequence for encoding "UTF8": 0x00'
    const surrogate = 'data null: invalid Unicode text: a surrogate stands without its other half'
    expect(rootsOf('{ a(b: "x\\u0000y") }')).toBe(nul)
    expect(rootsOf('{ a(b: $s) }', { s: 'x\0y' })).toBe(nul)
    expect(rootsOf('{ a(b: $s) }', { s: ['\ud83d'] })).toBe(surrogate)
    expect(rootsOf('{ a(b: $s) }', { s: { t: '\ude00\ud83d' } })).toBe(surrogate)
    expect(rootsOf('query ($s: String = "\\u0000") { a(b: $s) }')).toBe(nul)
    expect(rootsOf('{ a(b: $s) }', { s: '😀' })).toEqual(['a(b: "😀")'])
    expect(rootsOf('{ a }', { unused: '\0' })).toEqual(['a'])
  })
})

describe('fragments as a whole', () => {
  const CYCLE = 'data absent: Found a cycle between fragments'
  const DEEP = 'data absent: Fragment cycle depth is greater than 50'
  const ring = (n: number) => Array.from({ length: n }, (_, i) => `fragment f${i} on Query { ...f${(i + 1) % n} }`).join(' ')
  const chain = (n: number) =>
    `${Array.from({ length: n - 1 }, (_, i) => `fragment f${i} on Query { ...f${i + 1} }`).join(' ')} fragment f${n - 1} on Query { a }`

  test.each([
    ['{ a }', ring(1), CYCLE],
    ['{ a }', ring(2), CYCLE],
    ['{ a }', ring(50), CYCLE],
    ['{ a }', ring(51), DEEP],
    ['{ a }', 'fragment F on A { b { ...F } }', CYCLE],
    ['{ a }', 'fragment F on A { ... { ...G } } fragment G on B { ... on A { ...F } }', CYCLE],
    ['{ a }', 'fragment F on A { b } fragment F on B { ...F }', CYCLE],
    ['{ ...f0 }', chain(50), ['a']],
    ['{ ...f0 }', chain(51), DEEP],
    ['{ a }', `fragment z on Query { ...f0 } ${chain(50)}`, DEEP],
    ['{ a }', `fragment F on A { ${'b { '.repeat(48)}b${' }'.repeat(48)} }`, ['a']],
    ['{ a }', `${chain(10)} fragment F on A { ${'b { '.repeat(40)} ...f0 ${' }'.repeat(40)} }`, DEEP],
    ['{ a }', 'fragment F on Nope { nope }', ['a']],
  ])('%s %s', (operation, fragments, expected) => {
    expect(rootsOf(`${operation} ${fragments}`)).toEqual(expected)
    expect(rootsOf(`${fragments} ${operation}`)).toEqual(expected)
  })
})

describe('the document cache', () => {
  const document = (i: number) => `{ field${String(i).padStart(4, '0')} }`

  test('parses a text once', () => {
    const cache = createDocumentCache(DEFAULT_GRAPHQL_LIMITS)
    expect(cache.parse('{ a }')).toBe(cache.parse('{ a }'))
    expect(() => cache.parse('{')).toThrow('query parse error')
    expect(cache.size()).toBe(1)
  })

  test('stays within its bounds', () => {
    const cache = createDocumentCache(DEFAULT_GRAPHQL_LIMITS, { documents: 100, characters: 100_000 })
    for (let i = 0; i < 300; i++) cache.parse(document(i))
    expect(cache.size()).toBe(100)
    const small = createDocumentCache(DEFAULT_GRAPHQL_LIMITS, { documents: 100, characters: document(0).length * 10 })
    for (let i = 0; i < 300; i++) small.parse(document(i))
    expect(small.size()).toBe(10)
  })
})
