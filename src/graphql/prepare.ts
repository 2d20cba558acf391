import { inTurns, type Steps, type Turns } from '../std/in-turns.ts'
import { answerIntrospection } from './introspection/answer-introspection.ts'
import type { DocumentCache } from './operation/document-cache.ts'
import { collectGuards } from './operation/guards.ts'
import type { GraphqlLimits } from './operation/limits.ts'
import type { GraphqlRequest, Variables } from './operation/operation.ts'
import { readOperation } from './operation/read-operation.ts'
import type { Guard } from './operation/value.ts'
import { type Planned, planOperation } from './plan/plan-operation.ts'
import { type Bound, bindStatement, type PlanCache } from './plan-cache.ts'
import type { RoleSchema } from './schema/role-schema.ts'
import { typeSystemOf } from './schema/type-system-of.ts'
import { compileOperation } from './sql/compile-operation.ts'

export type PrepareDeps = {
  readonly documents: DocumentCache
  readonly plans: PlanCache
  readonly limits: GraphqlLimits
  /** how the introspection of a large schema lets other requests by */
  readonly turns: Turns
}

/**
 * A request against a role's schema -> statements with their values: out of the plan cache and at once, or read, planned and compiled.
 * @throws GraphqlError when the request as a whole cannot be answered
 */
export const prepareRequest = (deps: PrepareDeps, schema: RoleSchema, request: GraphqlRequest): Bound | Promise<Bound> =>
  deps.plans.find(schema, request) ?? prepareAnew(deps, schema, request)

async function prepareAnew({ documents, plans, limits, turns }: PrepareDeps, schema: RoleSchema, request: GraphqlRequest): Promise<Bound> {
  const steps = planRequest({ documents, limits }, schema, request)
  const { planned, guards, defaults } = await inTurns(steps, turns)
  const compiled = compileOperation(planned.kind, planned.roots, limits.responseBytes)
  if (planned.errors.length === 0) plans.keep(schema, request, { ...compiled, kind: planned.kind, guards, defaults })
  return {
    kind: planned.kind,
    parts: compiled.parts,
    statements: compiled.statements.map((statement) =>
      bindStatement(
        statement,
        statement.params.map((bound) => bound.text),
      ),
    ),
    errors: planned.errors,
  }
}

type PlannedRequest = { readonly planned: Planned; readonly guards: readonly Guard[]; readonly defaults: Variables['defaults'] }

/** The stages before SQL: read, then plan. Also what `explain` shows. */
export function* planRequest(
  { documents, limits }: Pick<PrepareDeps, 'documents' | 'limits'>,
  schema: RoleSchema,
  request: GraphqlRequest,
): Steps<PlannedRequest> {
  const collected = collectGuards()
  const operation = readOperation(request, documents.parse, limits, collected)
  const planned = yield* planOperation(schema, operation, limits, function* (field) {
    return yield* answerIntrospection(yield* typeSystemOf(schema), operation, field, limits)
  })
  return { planned, guards: collected.recorded, defaults: operation.variables.defaults }
}
