import { describe, expect, test } from 'vitest'
import { collectFields, collectRootFields } from '../../../src/graphql/operation/collect-fields.ts'
import { DEFAULT_GRAPHQL_LIMITS } from '../../../src/graphql/operation/limits.ts'
import { read, rootsOf } from './read.ts'

/** The fields below the first root field, on type Book, which implements Node. */
function below(selections: string, fragments = '', variables = {}): readonly string[] | string {
  const { operation } = read(`{ book { ${selections} } } ${fragments}`, variables)
  const [book] = collectRootFields(operation, DEFAULT_GRAPHQL_LIMITS)
  try {
    return collectFields(operation, book?.selections ?? [], 'Book', ['Node']).map(({ responseKey, name, selections }) =>
      [responseKey === name ? name : `${responseKey}: ${name}`, ...(selections.length > 0 ? [`{${selections.length}}`] : [])].join(' '),
    )
  } catch (error) {
    return (error as Error).message
  }
}

describe('fragments', () => {
  test.each([
    ['...F', 'fragment F on Book { id title }', ['id', 'title']],
    ['...F', 'fragment F on Author { name }', 'no fragment named F on type Book'],
    ['...F', '', 'no fragment named F on type Book'],
    ['...F', 'fragment F on Author { name } fragment F on Book { id }', ['id']],
    ['...F', 'fragment F on Book { id } fragment F on Book { title }', ['id']],
    ['...F', 'fragment F on Node { nodeId }', ['nodeId']],
    ['...F', 'fragment F on Node { nodeId } fragment F on Book { id }', ['id']],
    ['id ... on Author { name }', '', ['id']],
    ['... on Author { name }', '', []],
    ['... on Book { id } ... { title } ... on Node { nodeId }', '', ['id', 'title', 'nodeId']],
    ['title ...F ...F id', 'fragment F on Book { id title }', ['title', 'id']],
    ['...F ...G', 'fragment F on Book { publisher { id } } fragment G on Book { publisher { name city } }', ['publisher {3}']],
  ])('%s with %s', (selections, fragments, expected) => {
    expect(below(selections, fragments)).toEqual(expected)
  })
})

describe('merging', () => {
  test.each([
    ['a: id a: id', ['a: id']],
    ['a: id a: title', 'Fields `title` and `id` are different'],
    ['id ...F', 'Fields `title` and `id` are different'],
    ['a: id ... on Author { a: name }', ['a: id']],
    ['x(a: 1, b: [2, "c"]) x(b: [2, "c"], a: 1)', ['x']],
    ['x(a: {b: 1, c: {d: null}}) x(a: {c: {d: null}, b: 1})', ['x']],
    ['x(a: 1) x', 'Two fields named `x` have different arguments'],
    ['x(a: 1) x(a: 2)', 'Two fields named `x` have different arguments'],
    ['x(a: 1) x(a: 1.0)', 'Two fields named `x` have different arguments'],
    ['x(a: "b") x(a: b)', 'Two fields named `x` have different arguments'],
    ['x(a: [1]) x(a: [1, 1])', 'Two fields named `x` have different arguments'],
    ['x(a: $n) x(a: 1)', 'Two fields named `x` have different arguments'],
    ['x(a: $n) x(a: $m)', 'Two fields named `x` have different arguments'],
    ['x(a: $n) x(a: $n)', ['x']],
    ['a: x(a: 1) b: x(a: 2)', ['a: x', 'b: x']],
  ])('%s', (selections, expected) => {
    expect(below(selections, 'fragment F on Book { id: title }', { n: 1, m: 1 })).toEqual(expected)
  })

  test('at the root there is no data', () => {
    expect(rootsOf('{ a: x a: y }')).toBe('data absent: Fields `y` and `x` are different')
    expect(rootsOf('{ x(a: 1) x }')).toBe('data absent: Two fields named `x` have different arguments')
    expect(rootsOf('mutation { ...Nope }')).toBe('data absent: no fragment named Nope on type Mutation')
  })
})

describe('@skip and @include', () => {
  const variables = { t: true, f: false, s: 'yes', u: null }
  test.each([
    ['@skip(if: true)', false],
    ['@skip(if: false)', true],
    ['@include(if: true)', true],
    ['@include(if: false)', false],
    ['@skip(if: false) @include(if: true)', true],
    ['@skip(if: true) @include(if: true)', false],
    ['@skip(if: false) @include(if: false)', false],
    ['@skip(if: true) @include(if: false)', false],
    ['@skip(if: $t)', false],
    ['@include(if: $t)', true],
    ['@skip(if: $declared)', false],
    ['@skip(if: $t) @lower', false],
    ['@skip(if: "yes") @include(if: 0) @include(if: null)', true],
    ['@skip', 'Incorrect arguments to directive @skip'],
    ['@include(if: true, unless: 1)', 'Incorrect arguments to directive @include'],
    ['@skip(unless: true)', 'Unknown argument to @skip: unless'],
    ['@include(if: $nope)', 'Value for "if" in @include directive is required'],
    ['@skip(if: $u)', 'Value for "if" in @skip directive is required'],
    ['@skip(if: $s)', 'Value for "if" in @skip directive is required'],
    ['@lower', 'Unknown directive lower'],
  ])('%s', (directives, kept) => {
    const result = rootsOf(`query ($declared: Boolean = true) { a b ${directives} }`, variables)
    expect(result).toEqual(typeof kept === 'string' ? `data absent: ${kept}` : kept ? ['a', 'b'] : ['a'])
  })

  test('on spreads and inline fragments', () => {
    expect(rootsOf('{ a ...F @skip(if: true) ... on Query @include(if: false) { c } }')).toEqual(['a'])
    expect(rootsOf('{ ... @include(if: true) { c } }')).toEqual(['c'])
  })

  test('everything left out', () => {
    expect(rootsOf('{ a @skip(if: true) }')).toBe('data absent: Selection set must not be empty')
    expect(rootsOf('mutation { a @skip(if: true) }')).toBe('data null: Selection set must not be empty')
  })
})

test('a field knows its place', () => {
  const { operation } = read('{\n  a\n  ...F\n}\nfragment F on Query {\n  b: c\n}')
  expect(collectRootFields(operation, DEFAULT_GRAPHQL_LIMITS).map(({ line, column }) => [line, column])).toEqual([
    [2, 3],
    [6, 3],
  ])
})
