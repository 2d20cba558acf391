import { expect, test } from 'vitest'
import { createPlanCache, type Variant } from '../../src/graphql/plan-cache.ts'
import { respond, textOf } from '../../src/graphql/respond.ts'
import type { RoleSchema } from '../../src/graphql/schema/role-schema.ts'

const request = (query: string) => ({ query, variables: {}, operationName: null })
const variant = (json: string): Variant => ({
  kind: 'query',
  guards: [],
  defaults: {},
  statements: [],
  parts: [{ key: 'a', from: 'document', json }],
})
const schema = () => ({}) as RoleSchema

test('keeps as many documents as it was told, the last used', () => {
  const plans = createPlanCache({ maxDocuments: 10, maxCharacters: 1_000_000 })
  const of = schema()
  for (let i = 0; i < 500; i++) {
    plans.keep(of, request(`{ a${i} }`), variant('1'))
    expect(plans.find(of, request('{ a0 }'))).not.toBeNull()
  }
  const kept = Array.from({ length: 500 }, (_, i) => plans.find(of, request(`{ a${i} }`))).filter((found) => found !== null)
  expect(kept).toHaveLength(10)
})

test('keeps no more characters than it was told', () => {
  const plans = createPlanCache({ maxDocuments: 1_000, maxCharacters: 50_000 })
  const of = schema()
  for (let i = 0; i < 100; i++) plans.keep(of, request(`{ a${i} }`), variant(`"${'x'.repeat(9_000)}"`))
  expect(Array.from({ length: 100 }, (_, i) => plans.find(of, request(`{ a${i} }`))).filter((found) => found !== null)).toHaveLength(5)
})

test('counts among them the values of a document, and what a plan takes for granted', () => {
  const plans = createPlanCache({ maxDocuments: 1_000, maxCharacters: 50_000 })
  const of = schema()
  const guards = Array.from({ length: 20 }, () => ({ origin: { variable: 'a' }, fact: 'kind' as const, kind: 'absent' as const }))
  const statements = [{ text: 'select $1', params: [{ text: 'x'.repeat(6_000), rebind: null }] }]
  for (let i = 0; i < 100; i++) plans.keep(of, request(`{ a${i} }`), { ...variant('1'), guards, statements })
  expect(Array.from({ length: 100 }, (_, i) => plans.find(of, request(`{ a${i} }`))).filter((found) => found !== null)).toHaveLength(5)
})

test('a long literal answer is kept as bytes, and answers the same text', () => {
  const plans = createPlanCache({ maxDocuments: 10, maxCharacters: 1_000_000 })
  const of = schema()
  const json = JSON.stringify('ü€\u{1f469}"'.repeat(2_000))
  plans.keep(of, request('{ a }'), variant(json))
  const parts = plans.find(of, request('{ a }'))?.parts ?? []
  expect(parts[0]).toMatchObject({ from: 'document', json: expect.any(Uint8Array) })
  expect(textOf(respond(parts, [], []))).toBe(`{"data":{"a":${json}}}`)
})
