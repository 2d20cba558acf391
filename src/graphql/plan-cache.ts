import { LRUCache } from 'lru-cache'
import type { PgText, Statement } from '../sqltext/sql.ts'
import { holds, MOST_GUARDS } from './operation/guards.ts'
import { GraphqlError, type GraphqlRequest, type Variables } from './operation/operation.ts'
import { suppliedVariables } from './operation/read-operation.ts'
import type { Guard } from './operation/value.ts'
import { isStorable } from './operation/variables.ts'
import type { RootError } from './plan/plan-operation.ts'
import type { RoleSchema } from './schema/role-schema.ts'
import type { Compiled, CompiledStatement, Part } from './sql/compile-operation.ts'

/** A compiled operation whose values are bound: what a hot request comes to. */
export type Bound = {
  readonly kind: 'query' | 'mutation'
  readonly statements: readonly Statement[]
  readonly parts: readonly Part[]
  /** roots that failed when it was planned */
  readonly errors: readonly RootError[]
}

/** A plan for a document, and what it takes for granted about the variables. */
export type Variant = Compiled & {
  readonly kind: 'query' | 'mutation'
  readonly guards: readonly Guard[]
  readonly defaults: Variables['defaults']
}

export type PlanCache = {
  readonly find: (schema: RoleSchema, request: GraphqlRequest) => Bound | null
  readonly keep: (schema: RoleSchema, request: GraphqlRequest, variant: Variant) => void
}

export type PlanCacheOptions = {
  /** documents kept per role */
  readonly maxDocuments: number
  /** characters of SQL and literal answers kept per role */
  readonly maxCharacters: number
}

/** Only what was planned without any is kept. */
const NO_ERRORS: readonly RootError[] = []
const MAX_VARIANTS = 16
const LONG_ANSWER = 4_096
const UTF8 = new TextEncoder()

/** Plans by role schema and document. A schema that was replaced takes its plans with it. */
export function createPlanCache(options: PlanCacheOptions): PlanCache {
  const bySchema = new WeakMap<RoleSchema, LRUCache<string, readonly Variant[]>>()
  return {
    find: (schema, request) => {
      const variants = bySchema.get(schema)?.get(keyOf(request))
      // reading the document anew tells what is wrong with a text, also where a plan never looks
      if (!variants || !isStorable(request.variables)) return null
      for (const variant of variants) {
        const bound = bindVariant(variant, request)
        if (bound) return bound
      }
      return null
    },
    keep: (schema, request, variant) => {
      if (variant.guards.length > MOST_GUARDS) return
      let plans = bySchema.get(schema)
      if (!plans) {
        plans = new LRUCache({ max: options.maxDocuments, maxSize: options.maxCharacters, sizeCalculation: sizeOf })
        bySchema.set(schema, plans)
      }
      const key = keyOf(request)
      plans.set(key, [{ ...variant, parts: variant.parts.map(ready) }, ...(plans.peek(key) ?? [])].slice(0, MAX_VARIANTS))
    },
  }
}

const keyOf = ({ query, operationName }: GraphqlRequest): string => (operationName === null ? query : `${operationName}\u0000${query}`)

/** A long literal answer, an introspection, is kept as the bytes that are sent each time. */
const ready = (part: Part): Part =>
  part.from === 'document' && typeof part.json === 'string' && part.json.length >= LONG_ANSWER
    ? { ...part, json: UTF8.encode(part.json) }
    : part

/** Characters that the memory of a guard comes to, with the value that it is about. */
const GUARD = 150

function sizeOf(variants: readonly Variant[], key: string): number {
  let size = key.length + 1
  for (const { statements, parts, guards } of variants) {
    size += guards.length * GUARD
    for (const { text, params } of statements) {
      size += text.length
      for (const bound of params) size += bound.text?.length ?? 0
    }
    for (const part of parts) if (part.from === 'document') size += part.json.length
  }
  return size
}

/** null: these variables need another plan, or cannot be bound at all; planning anew says why. */
function bindVariant(variant: Variant, request: GraphqlRequest): Bound | null {
  try {
    const variables = { supplied: suppliedVariables(request), defaults: variant.defaults }
    for (const guard of variant.guards) if (!holds(guard, variables)) return null
    return bindStatements(variant, variables)
  } catch (error) {
    if (error instanceof GraphqlError) return null
    throw error
  }
}

const bindStatements = (variant: Variant, variables: Variables): Bound => ({
  kind: variant.kind,
  parts: variant.parts,
  errors: NO_ERRORS,
  statements: variant.statements.map((statement) =>
    bindStatement(
      statement,
      statement.params.map((bound) => (bound.rebind ? bound.rebind(variables) : bound.text)),
    ),
  ),
})

/**
 * Characters of a list of operands. PostgreSQL looks longer ones up in a hash table if it knows them when it plans, and goes through them for each row if not;
 * to a plan for any values all lists are of ten.
 */
const LONG_LIST = 1_000

export function bindStatement({ text, params }: CompiledStatement, values: readonly PgText[]): Statement {
  const hasLongList = params.some((bound, i) => bound.isList && (values[i]?.length ?? 0) > LONG_LIST)
  return hasLongList ? { text, values, planAnew: true } : { text, values }
}
