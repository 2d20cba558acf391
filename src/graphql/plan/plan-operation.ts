import { assertNever } from '../../std/assert-never.ts'
import type { Steps } from '../../std/in-turns.ts'
import {
  absentValue,
  invalidInput,
  missingKeyColumns,
  unknownCollectionOfNodeId,
  unknownMutationType,
  unknownRecordField,
  unknownRootField,
} from '../errors.ts'
import { collectRootFields } from '../operation/collect-fields.ts'
import type { GraphqlLimits } from '../operation/limits.ts'
import { GraphqlError, type Operation, type SelectedField } from '../operation/operation.ts'
import type { Entity, RoleSchema } from '../schema/role-schema.ts'
import type { Predicate, RootPlan } from './plan.ts'
import { planCollection } from './plan-collection.ts'
import type { PlanContext } from './plan-context.ts'
import { planRootFunction } from './plan-function.ts'
import { planDelete, planInsert, planUpdate } from './plan-mutation.ts'
import { planNode, planSelectedNode, refuseArguments } from './plan-node.ts'
import { planNodeIdPredicate, readNodeId } from './plan-node-id.ts'
import { anyText, bind, isGiven, kindOf } from './plan-values.ts'

/** Roots in document order; of those that failed the message. A mutation stops at the first failure. */
export type Planned = {
  readonly kind: 'query' | 'mutation'
  readonly roots: readonly RootPlan[]
  readonly errors: readonly RootError[]
}
export type RootError = { readonly key: string; readonly error: GraphqlError }

/** Answers `__schema` and `__type` as JSON text. In steps: a large schema takes longer than other requests should wait. */
export type AnswerIntrospection = (field: SelectedField) => Steps<string>

/**
 * The role's schema and an operation -> what to do.
 * @throws GraphqlError when the root selections themselves cannot be read
 */
export function* planOperation(
  schema: RoleSchema,
  operation: Operation,
  limits: GraphqlLimits,
  introspect: AnswerIntrospection,
): Steps<Planned> {
  const context: PlanContext = { schema, operation, limits, spent: { filterTerms: 0 }, planCollection }
  const fields = rootFields(context)
  const roots: RootPlan[] = []
  const errors: RootError[] = []
  for (const field of fields) {
    try {
      roots.push(operation.kind === 'query' ? yield* planQueryRoot(context, field, introspect) : planMutationRoot(context, field))
    } catch (error) {
      if (!(error instanceof GraphqlError)) throw error
      errors.push({ key: field.responseKey, error })
      if (operation.kind === 'mutation') break
    }
  }
  return { kind: operation.kind, roots, errors }
}

function rootFields(context: PlanContext): readonly SelectedField[] {
  if (context.operation.kind === 'mutation' && context.schema.mutation.size === 0) throw unknownMutationType()
  return collectRootFields(context.operation, context.limits)
}

function* planQueryRoot(context: PlanContext, field: SelectedField, introspect: AnswerIntrospection): Steps<RootPlan> {
  const key = field.responseKey
  if (field.name === '__typename') return { key, kind: 'literal', json: '"Query"' }
  if ((field.name === '__schema' || field.name === '__type') && context.schema.introspection) {
    return { key, kind: 'literal', json: yield* introspect(field) }
  }
  const found = context.schema.query.get(field.name)
  if (!found) throw unknownRootField(field.name, 'Query', field)
  switch (found.kind) {
    case 'collection': {
      const source = { kind: 'relation', relation: found.entity.relation } as const
      return { key, kind: 'collection', collection: planCollection(context, found.entity, field, { source, join: [] }) }
    }
    case 'by key':
      return planByKey(context, found.entity, field)
    case 'node':
      return planNodeRoot(context, field)
    case 'function':
      return planRootFunction(context, found.fn, field)
    default:
      return assertNever(found)
  }
}

/** `…ByPk`: arguments are not checked beyond being there, PostgreSQL reads their text. */
function planByKey(context: PlanContext, entity: Entity, field: SelectedField): RootPlan {
  const given = entity.key.map((column) => {
    const name = entity.columns.find((candidate) => candidate.column === column)?.name
    return { column, value: field.args.find((arg) => arg.name === name)?.value }
  })
  const missing = given.filter(({ value }) => value === undefined)
  if (missing.length > 0) throw missingKeyColumns(missing.map(({ column }) => column.name))
  const terms = given.flatMap(({ column, value }): Predicate[] => {
    if (!value) return []
    if (kindOf(context, value) === 'absent') throw absentValue()
    return [{ kind: 'compare', column, operator: '=', operand: bind(value, (key) => (key.kind === 'null' ? null : anyText(key))) }]
  })
  return {
    key: field.responseKey,
    kind: 'record',
    source: { kind: 'relation', relation: entity.relation },
    where: { kind: 'and', terms },
    node: planNode(context, entity, field.selections, unknownRecordField),
  }
}

/** `node(nodeId:)`: the entity is known before the selections are read, so fragments pick their branch here. */
function planNodeRoot(context: PlanContext, field: SelectedField): RootPlan {
  refuseArguments(field, 'nodeId')
  const value = field.args.find((arg) => arg.name === 'nodeId')?.value
  if (!isGiven(context, value)) throw invalidInput('NonNull')
  const id = readNodeId(context, value)
  const entity = [...context.schema.entities.values()].find(
    ({ relation }) => relation.schema.name === id.schema && relation.name === id.table,
  )
  if (!entity?.addressable) throw unknownCollectionOfNodeId()
  const where = planNodeIdPredicate(value, id, entity)
  const source = { kind: 'relation', relation: entity.relation } as const
  return { key: field.responseKey, kind: 'record', source, where, node: planSelectedNode(context, entity, field) }
}

function planMutationRoot(context: PlanContext, field: SelectedField): RootPlan {
  const key = field.responseKey
  if (field.name === '__typename') return { key, kind: 'literal', json: '"Mutation"' }
  const found = context.schema.mutation.get(field.name)
  if (!found) throw unknownRootField(field.name, 'Mutation', field)
  switch (found.kind) {
    case 'insert':
      return { key, ...planInsert(context, found.entity, field) }
    case 'update':
      return { key, ...planUpdate(context, found.entity, field) }
    case 'delete':
      return { key, ...planDelete(context, found.entity, field) }
    case 'function':
      return planRootFunction(context, found.fn, field)
    default:
      return assertNever(found)
  }
}
