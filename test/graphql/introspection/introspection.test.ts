import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, validateSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { answerIntrospection } from '../../../src/graphql/introspection/answer-introspection.ts'
import { printSdl } from '../../../src/graphql/introspection/print-sdl.ts'
import { collectRootFields } from '../../../src/graphql/operation/collect-fields.ts'
import { collectGuards } from '../../../src/graphql/operation/guards.ts'
import { DEFAULT_GRAPHQL_LIMITS, type GraphqlLimits } from '../../../src/graphql/operation/limits.ts'
import { parseDocument } from '../../../src/graphql/operation/parse-document.ts'
import { jsonFrom } from '../../../src/graphql/operation/read-json.ts'
import { readOperation } from '../../../src/graphql/operation/read-operation.ts'
import { constantDirectives, constantTypes } from '../../../src/graphql/schema/constant-types.ts'
import type { IntrospectedTypes } from '../../../src/graphql/schema/type-system.ts'
import { atOnce } from '../../../src/std/in-turns.ts'
import { cpuTime } from '../operation/cpu-time.ts'
import { RECORDED_SCHEMAS, readRecorded, recordedSdl, typeSystemOf, WORLDS } from './recorded-schema.ts'

const INTROSPECTION = readFileSync(join(WORLDS, 'introspection.graphql'), 'utf8')

describe.each(RECORDED_SCHEMAS)('%s', (schema) => {
  const recorded = readRecorded(schema)
  const types = typeSystemOf(recorded.data.__schema)
  const sdl = recordedSdl(schema)

  test('introspects as recorded', () => {
    expect(JSON.parse(answer(types, INTROSPECTION))).toEqual(recorded.data)
  })

  test('holds the constant types and directives', () => {
    for (const type of constantTypes()) expect(types.types.get(type.name)).toEqual(plain(type))
    expect(constantDirectives().map(plain)).toEqual(types.directives.map(plain))
  })

  test.runIf(sdl !== null)('prints as graphql-js does', () => {
    expect(printSdl(types)).toBe(sdl)
  })

  test.runIf(sdl !== null)('is a valid schema to a client that asks for everything', () => {
    const everything = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    })
    const client = buildClientSchema(JSON.parse(answer(types, everything)) as IntrospectionQuery)
    expect(validateSchema(client).filter((problem) => !problem.message.includes('NodeClash.nodeId'))).toEqual([])
  })
})

describe('recorded cases', () => {
  const topics = [
    ['library', 'introspection'],
    ['empty', 'empty'],
    ['naming', 'names'],
    ['naming', 'keys_and_relations'],
  ] as const
  test.each(topics)('%s %s', (world, topic) => {
    const cases: readonly Case[] = JSON.parse(readFileSync(join(WORLDS, world, 'recorded', `${topic}.json`), 'utf8'))
    const asked = cases.filter((one) => one.setup === undefined && one.searchPath === 'public, extensions' && isIntrospection(one.query))
    expect(asked.length).toBeGreaterThan(5)
    for (const one of asked) {
      const types = typeSystemOf(
        readRecorded(`${world}/${world === 'empty' ? 'service_role' : one.role === 'authenticated' ? 'anon' : one.role}`).data.__schema,
      )
      expect({ name: one.name, response: respond(types, one.query, one.variables) }).toEqual({ name: one.name, response: one.response })
    }
  })
})

describe('limits', () => {
  const types = typeSystemOf(readRecorded('library/service_role').data.__schema)

  test('lists inside lists', () => {
    const nested = (depth: number) => `{ __schema { types ${'{ fields { type '.repeat(depth)}{ name }${' } }'.repeat(depth)} } }`
    expect(() => answer(types, nested(3))).not.toThrow()
    expect(() => answer(types, nested(4))).toThrow('The introspection has more than 3 levels of fields (limit introspectionDepth)')
  })

  test('characters', () => {
    const length = answer(types, INTROSPECTION).length
    const bound = (introspectionCharacters: number): GraphqlLimits => ({ ...DEFAULT_GRAPHQL_LIMITS, introspectionCharacters })
    expect(answer(types, INTROSPECTION, bound(length))).toHaveLength(length)
    expect(() => answer(types, INTROSPECTION, bound(length / 2))).toThrow('characters (limit introspectionCharacters)')
  })

  test('the schema several times over', () => {
    const whole = 'types { name fields { name args { name } } inputFields { name } enumValues { name } }'
    const several = (times: number) => `{ __schema { ${Array.from({ length: times }, (_, i) => `t${i}: ${whole}`).join(' ')} } }`
    expect(() => answer(types, several(3))).not.toThrow()
    expect(() => answer(types, several(5))).toThrow(/The introspection has more than \d+ objects \(limit introspectionRepeats\)/)
  })

  test('a hostile introspection ends soon', () => {
    const circle = '{ type { ofType { fields { args { type { ofType { fields { name type { fields { name description } } } } } } } } } }'
    const query = `{ __schema { ${Array.from({ length: 60 }, (_, i) => `t${i}: types { a: fields ${circle} b: fields ${circle} }`).join(' ')} } }`
    expect(cpuTime(() => expect(() => answer(types, query)).toThrow('limit introspection'))).toBeLessThan(250)
  })
})

type Case = {
  readonly name: string
  readonly role: string
  readonly searchPath: string
  readonly setup?: string
  readonly query: string
  readonly variables?: object
  readonly response: unknown
}

/** Only root fields that are answered without the database. */
const isIntrospection = (query = '') => {
  try {
    return rootFields(query).fields.every(({ name }) => name === '__schema' || name === '__type')
  } catch {
    return false
  }
}

function rootFields(query: string, variables: object = {}, limits = DEFAULT_GRAPHQL_LIMITS) {
  const request = { query, variables: jsonFrom(variables), operationName: null }
  const operation = readOperation(request, (text) => parseDocument(text, limits), limits, collectGuards())
  if (operation.kind === 'mutation') throw new Error('not introspection')
  return { operation, fields: collectRootFields(operation, limits) }
}

function answer(types: IntrospectedTypes, query: string, limits = DEFAULT_GRAPHQL_LIMITS, variables = {}): string {
  const { operation, fields } = rootFields(query, variables, limits)
  return `{${fields.map((field) => `"${field.responseKey}":${atOnce(answerIntrospection(types, operation, field, limits))}`).join()}}`
}

function respond(types: IntrospectedTypes, query: string, variables = {}): unknown {
  try {
    return { data: JSON.parse(answer(types, query, DEFAULT_GRAPHQL_LIMITS, variables)) }
  } catch (error) {
    return { data: null, errors: [{ message: error instanceof Error ? error.message : '' }] }
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
