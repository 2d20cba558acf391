import { collectRootFields } from '../../../src/graphql/operation/collect-fields.ts'
import { collectGuards } from '../../../src/graphql/operation/guards.ts'
import { DEFAULT_GRAPHQL_LIMITS, type GraphqlLimits } from '../../../src/graphql/operation/limits.ts'
import { GraphqlError } from '../../../src/graphql/operation/operation.ts'
import { parseDocument } from '../../../src/graphql/operation/parse-document.ts'
import { jsonFrom } from '../../../src/graphql/operation/read-json.ts'
import { readOperation } from '../../../src/graphql/operation/read-operation.ts'
import type { Value } from '../../../src/graphql/operation/value.ts'

/** Reads an operation as a request would have it read. */
export function read(query: string, variables: unknown = {}, operationName: string | null = null, limits = DEFAULT_GRAPHQL_LIMITS) {
  const guards = collectGuards()
  const request = { query, variables: jsonFrom(variables), operationName }
  return { operation: readOperation(request, (text) => parseDocument(text, limits), limits, guards), guards: guards.recorded }
}

/** The root fields of an operation, in short: `key: name(args)`, or the error as `data message`. */
export function rootsOf(
  query: string,
  variables: unknown = {},
  operationName: string | null = null,
  limits = DEFAULT_GRAPHQL_LIMITS,
): readonly string[] | string {
  try {
    return collectRootFields(read(query, variables, operationName, limits).operation, limits).map(({ responseKey, name, args }) => {
      const written = args.map((argument) => `${argument.name}: ${show(argument.value)}`)
      return `${responseKey === name ? '' : `${responseKey}: `}${name}${written.length > 0 ? `(${written.join(', ')})` : ''}`
    })
  } catch (error) {
    if (error instanceof GraphqlError) return `data ${error.data}: ${error.message}`
    throw error
  }
}

export const withLimit = (limit: Partial<GraphqlLimits>): GraphqlLimits => ({ ...DEFAULT_GRAPHQL_LIMITS, ...limit })

export function show(value: Value): string {
  switch (value.kind) {
    case 'absent':
    case 'null':
      return value.kind
    case 'boolean':
      return String(value.value)
    case 'number':
      return value.text
    case 'string':
      return JSON.stringify(value.value)
    case 'list':
      return `[${value.items.map(show).join(', ')}]`
    default:
      return `{${Array.from(value.fields, ([key, member]) => `${key}: ${show(member)}`).join(', ')}}`
  }
}
