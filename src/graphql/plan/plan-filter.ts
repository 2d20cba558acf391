import { assertNever } from '../../std/assert-never.ts'
import { badNodeId, extraInputKeys, invalidInput, invalidIsFilter, nodeIdOfOtherCollection, planLimitExceeded } from '../errors.ts'
import type { Value } from '../operation/value.ts'
import type { FieldType } from '../schema/field-type.ts'
import { type FilterOperator, filterOperators, filterTypeName } from '../schema/filter-operators.ts'
import type { ColumnField, Entity } from '../schema/role-schema.ts'
import { type CompareOperator, EVERY_ROW, type Predicate } from './plan.ts'
import type { PlanContext } from './plan-context.ts'
import { planNodeIdPredicate, readNodeId } from './plan-node-id.ts'
import { arrayText, bind, isGiven, itemsOf, kindOf, membersOf, pgText } from './plan-values.ts'

/** The `filter` argument: members of one object all hold. Null and absent filters let every row through. */
export function planFilter(context: PlanContext, value: Value | undefined, entity: Entity): Predicate {
  if (!isGiven(context, value)) return EVERY_ROW
  return { kind: 'and', terms: planMembers(context, value, entity) }
}

function planMembers(context: PlanContext, value: Value, entity: Entity): readonly Predicate[] {
  const type = `${entity.name}Filter`
  if (value.kind !== 'object') throw invalidInput(type)
  const terms: Predicate[] = []
  const unknown: string[] = []
  for (const [name, member] of membersOf(context, value)) {
    const column = entity.filters.get(name)
    if (name === 'nodeId') terms.push(...planNodeIdFilter(context, member, entity))
    else if (column) terms.push(...planColumnFilter(context, member, column))
    else if (name === 'and' || name === 'or') terms.push(...planConnective(context, name, member, entity))
    else if (name === 'not') terms.push(...planNot(context, member, entity))
    else unknown.push(name)
  }
  if (unknown.length > 0) throw extraInputKeys(type, unknown)
  return terms
}

function countTerm(context: PlanContext): void {
  if (++context.spent.filterTerms > context.limits.filterTerms)
    throw planLimitExceeded('filterTerms', context.limits.filterTerms, 'filter terms')
}

/** Entries without any condition are left out; a list of nothing else, too. */
function planConnective(context: PlanContext, kind: 'and' | 'or', value: Value, entity: Entity): readonly Predicate[] {
  if (!isGiven(context, value)) return []
  const terms: Predicate[] = []
  for (const entry of itemsOf(context, value)) {
    countTerm(context)
    if (!isGiven(context, entry)) throw invalidInput('NonNull')
    const members = planMembers(context, entry, entity)
    if (members.length > 0) terms.push({ kind: 'and', terms: members })
  }
  return terms.length > 0 ? [{ kind, terms }] : []
}

function planNot(context: PlanContext, value: Value, entity: Entity): readonly Predicate[] {
  if (!isGiven(context, value)) return []
  countTerm(context)
  const members = planMembers(context, value, entity)
  return members.length > 0 ? [{ kind: 'not', term: { kind: 'and', terms: members } }] : []
}

function planNodeIdFilter(context: PlanContext, value: Value, entity: Entity): readonly Predicate[] {
  if (!isGiven(context, value)) return []
  if (value.kind !== 'object') throw invalidInput('IDFilter')
  const unknown = [...membersOf(context, value).keys()].filter((name) => name !== 'eq')
  if (unknown.length > 0) throw extraInputKeys('IDFilter', unknown)
  const wanted = value.fields.get('eq')
  if (!wanted || kindOf(context, wanted) === 'absent') return []
  if (wanted.kind === 'null') throw badNodeId(1)
  const id = readNodeId(context, wanted)
  if (id.schema !== entity.relation.schema.name || id.table !== entity.relation.name) throw nodeIdOfOtherCollection()
  return [planNodeIdPredicate(wanted, id, entity)]
}

function planColumnFilter(context: PlanContext, value: Value, field: ColumnField): readonly Predicate[] {
  if (!isGiven(context, value)) return []
  const type = filterTypeName(field.type)
  if (value.kind !== 'object') throw invalidInput(type)
  const operators = filterOperators(field.type)
  const members = membersOf(context, value)
  const unknown = [...members.keys()].filter((name) => !operators.some((operator) => operator === name))
  if (unknown.length > 0) throw extraInputKeys(type, unknown)
  return operators.flatMap((operator) => {
    const operand = members.get(operator)
    if (!operand || kindOf(context, operand) === 'absent') return []
    countTerm(context)
    return [planComparison(context, operator, operand, field)]
  })
}

const COMPARE: Readonly<Record<Exclude<FilterOperator, 'in' | 'is'>, CompareOperator>> = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  startsWith: '^@',
  like: 'like',
  ilike: 'ilike',
  regex: '~',
  iregex: '~*',
  contains: '@>',
  containedBy: '<@',
  overlaps: '&&',
}

function planComparison(context: PlanContext, operator: FilterOperator, operand: Value, { column, type }: ColumnField): Predicate {
  switch (operator) {
    case 'is':
      return { kind: 'is null', column, negated: wantsNotNull(context, operand) }
    case 'in':
      return { kind: 'in', column, operands: { ...bind(operand, (value) => nonNullArray(value, type, column.maxLength)), isList: true } }
    case 'contains':
    case 'containedBy':
    case 'overlaps':
    case 'eq':
    case 'neq':
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
    case 'startsWith':
    case 'like':
    case 'ilike':
    case 'regex':
    case 'iregex': {
      const convert = (value: Value) => (type.kind === 'list' ? nonNullArray(value, type.of, null) : pgText(value, type, column.maxLength))
      return { kind: 'compare', column, operator: COMPARE[operator], operand: bind(operand, convert) }
    }
    default:
      return assertNever(operator)
  }
}

/** A list of operands, `[X!]`; one value stands for a list of one. */
function nonNullArray(value: Value, type: FieldType, maxLength: number | null): string | null {
  if (value.kind === 'null' || value.kind === 'absent') return null
  const items = value.kind === 'list' ? value.items : [value]
  return arrayText(
    items.map((item) => {
      if (item.kind === 'null' || item.kind === 'absent') throw invalidInput('NonNull')
      return pgText(item, type, maxLength)
    }),
    type.pg.delimiter,
  )
}

function wantsNotNull(context: PlanContext, operand: Value): boolean {
  if (kindOf(context, operand) === 'null') throw invalidIsFilter()
  if (operand.kind !== 'string' || (operand.value !== 'NULL' && operand.value !== 'NOT_NULL')) throw invalidInput('FilterIs')
  if (operand.origin) context.operation.guards.record({ origin: operand.origin, fact: 'equals', value: operand.value })
  return operand.value === 'NOT_NULL'
}
