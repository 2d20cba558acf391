import { answerIntrospection } from './introspection/answer-introspection.ts'
import type { DocumentCache } from './operation/document-cache.ts'
import { collectGuards } from './operation/guards.ts'
import type { GraphqlLimits } from './operation/limits.ts'
import type { GraphqlRequest } from './operation/operation.ts'
import { readOperation } from './operation/read-operation.ts'
import { type Planned, planOperation, type RootError } from './plan/plan-operation.ts'
import type { Bound, PlanCache } from './plan-cache.ts'
import type { RoleSchema } from './schema/role-schema.ts'
import { typeSystemOf } from './schema/type-system-of.ts'
import { compileOperation } from './sql/compile-operation.ts'

export type PrepareDeps = { readonly documents: DocumentCache; readonly plans: PlanCache; readonly limits: GraphqlLimits }

/** What is to be sent, and which roots already failed. */
export type Prepared = Bound & { readonly errors: readonly RootError[] }

/**
 * A request against a role's schema -> statements with their values: out of the plan cache, or read, planned and compiled.
 * @throws GraphqlError when the request as a whole cannot be answered
 */
export function prepareRequest({ documents, plans, limits }: PrepareDeps, schema: RoleSchema, request: GraphqlRequest): Prepared {
  const known = plans.find(schema, request)
  if (known) return { ...known, errors: [] }
  const { planned, guards, defaults } = planRequest({ documents, limits }, schema, request)
  const compiled = compileOperation(planned.kind, planned.roots, limits.responseBytes)
  if (planned.errors.length === 0) plans.keep(schema, request, { ...compiled, kind: planned.kind, guards, defaults })
  return {
    kind: planned.kind,
    parts: compiled.parts,
    statements: compiled.statements.map(({ text, params }) => ({ text, values: params.map((bound) => bound.text) })),
    errors: planned.errors,
  }
}

/** The stages before SQL: read, then plan. Also what `explain` shows. */
export function planRequest({ documents, limits }: Omit<PrepareDeps, 'plans'>, schema: RoleSchema, request: GraphqlRequest) {
  const collected = collectGuards()
  const operation = readOperation(request, documents.parse, limits, collected)
  const planned: Planned = planOperation(schema, operation, limits, (field) =>
    answerIntrospection(typeSystemOf(schema), operation, field, limits),
  )
  return { planned, guards: collected.recorded, defaults: operation.variables.defaults }
}
