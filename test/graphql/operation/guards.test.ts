import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collectRootFields } from '../../../src/graphql/operation/collect-fields.ts'
import { holds } from '../../../src/graphql/operation/guards.ts'
import { DEFAULT_GRAPHQL_LIMITS } from '../../../src/graphql/operation/limits.ts'
import { jsonFrom, readJson } from '../../../src/graphql/operation/read-json.ts'
import type { Guard, Origin } from '../../../src/graphql/operation/value.ts'
import { isJsonObject, valueAt } from '../../../src/graphql/operation/variables.ts'
import { cpuTime } from './cpu-time.ts'
import { read, rootsOf, show } from './read.ts'

const objectFrom = (value: object) => {
  const json = jsonFrom(value)
  return isJsonObject(json) ? json : {}
}
const variables = {
  supplied: objectFrom({ a: { b: [1, 'x', { c: true }], n: null }, o: {} }),
  defaults: objectFrom({ a: 5, d: { e: ['f'] } }),
}
const origin = (variable: string, ...path: (string | number)[]): Origin =>
  path.reduce<Origin>((within, step) => ({ within, step }), { variable })

test.each([
  [origin('a', 'b', 0), '1'],
  [origin('a', 'b', 1), '"x"'],
  [origin('a', 'b', 2, 'c'), 'true'],
  [origin('a', 'b'), '[1, "x", {c: true}]'],
  [origin('a', 'n'), 'null'],
  [origin('a', 'b', 3), 'absent'],
  [origin('a', 'b', 'length'), 'absent'],
  [origin('a', 'toString'), 'absent'],
  [origin('a', 'b', 0, 'text'), 'absent'],
  [origin('toString'), 'absent'],
  [origin('d', 'e', 0), '"f"'],
  [origin('d', 'e', 1), 'absent'],
])('the value at %o is %s', (place, expected) => {
  const value = valueAt(variables, place)
  expect(show(value)).toBe(expected)
  expect(value.origin).toEqual(place)
})

describe('what holds', () => {
  const facts: readonly (readonly [Guard, boolean])[] = [
    [{ origin: origin('a', 'b'), fact: 'kind', kind: 'list' }, true],
    [{ origin: origin('a', 'b', 0), fact: 'kind', kind: 'number' }, true],
    [{ origin: origin('a', 'b', 0), fact: 'kind', kind: 'object' }, false],
    [{ origin: origin('a', 'n'), fact: 'kind', kind: 'absent' }, false],
    [{ origin: origin('x'), fact: 'kind', kind: 'absent' }, true],
    [{ origin: origin('a', 'b', 1), fact: 'equals', value: 'x' }, true],
    [{ origin: origin('a', 'b', 2, 'c'), fact: 'equals', value: false }, false],
    [{ origin: origin('a', 'b', 0), fact: 'equals', value: '1' }, false],
    [{ origin: origin('a'), fact: 'keys', keys: ['b', 'n'] }, true],
    [{ origin: origin('a'), fact: 'keys', keys: ['n', 'b'] }, false],
    [{ origin: origin('o'), fact: 'keys', keys: [] }, true],
    [{ origin: origin('a', 'b'), fact: 'keys', keys: ['0', '1', '2'] }, false],
    [{ origin: origin('a', 'b'), fact: 'length', length: 3 }, true],
    [{ origin: origin('a'), fact: 'length', length: 2 }, false],
    [{ origin: origin('d', 'e', 0), fact: 'passes', test: (json) => json === 'f' }, true],
    [{ origin: origin('d', 'e', 1), fact: 'passes', test: (json) => json === undefined }, true],
  ]
  test.each(facts)('%o: %s', (guard, expected) => {
    expect(holds(guard, variables)).toBe(expected)
  })
})

test('variables that satisfy the guards of another request give the same selections', () => {
  const query = `query ($a: Boolean = true, $b: Boolean, $c: Boolean = false) {
    w @skip(if: $a) x @include(if: $b) ... @skip(if: $b) @include(if: $c) { y } z }`
  const condition = fc.option(fc.constantFrom(true, false, null, 'yes', 1), { nil: undefined })
  const given = fc.record({ a: condition, b: condition, c: condition }).map((record) => JSON.parse(JSON.stringify(record)) as object)
  fc.assert(
    fc.property(given, given, (one, other) => {
      const { operation, guards } = read(query, one)
      const first = rootsOf(query, one)
      if (typeof first === 'string') return
      rootsOfOperation(operation)
      if (guards.every((guard) => holds(guard, { supplied: objectFrom(other), defaults: operation.variables.defaults }))) {
        expect(rootsOf(query, other)).toEqual(first)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('guards are few and quick', () => {
  const { operation, guards } = read(`query ($a: Boolean) { ${'x @include(if: $a) '.repeat(900)} }`, { a: true })
  rootsOfOperation(operation)
  expect(guards).toEqual([{ origin: origin('a'), fact: 'equals', value: true }])
  const supplied = readJson(`{"a":true,"list":[${'{"b":1},'.repeat(10_000)}{}]}`)
  const milliseconds = cpuTime(() => {
    for (let i = 0; i < 10_000; i++) {
      for (const guard of guards) holds(guard, { supplied: isJsonObject(supplied) ? supplied : {}, defaults: operation.variables.defaults })
    }
  })
  expect(milliseconds).toBeLessThan(250)
})

function rootsOfOperation(operation: ReturnType<typeof read>['operation']): void {
  collectRootFields(operation, DEFAULT_GRAPHQL_LIMITS)
}
