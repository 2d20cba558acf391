import { extraInputKeys, invalidInput } from '../errors.ts'
import type { Value } from '../operation/value.ts'
import type { Entity } from '../schema/role-schema.ts'
import type { OrderTerm } from './plan.ts'
import type { PlanContext } from './plan-context.ts'
import { isGiven, itemsOf, membersOf } from './plan-values.ts'

const DIRECTIONS: ReadonlyMap<string, Omit<OrderTerm, 'column'>> = new Map([
  ['AscNullsFirst', { direction: 'asc', nulls: 'first' }],
  ['AscNullsLast', { direction: 'asc', nulls: 'last' }],
  ['DescNullsFirst', { direction: 'desc', nulls: 'first' }],
  ['DescNullsLast', { direction: 'desc', nulls: 'last' }],
])

/** The `orderBy` argument. The key's columns always follow, also when they were listed: that makes the order total and cursors alike. */
export function planOrder(context: PlanContext, value: Value | undefined, entity: Entity): readonly OrderTerm[] {
  const asked = isGiven(context, value) ? itemsOf(context, value).flatMap((entry) => planEntry(context, entry, entity)) : []
  return [...asked, ...entity.key.map((column): OrderTerm => ({ column, direction: 'asc', nulls: 'last' }))]
}

function planEntry(context: PlanContext, entry: Value, entity: Entity): readonly OrderTerm[] {
  const type = `${entity.name}OrderBy`
  if (!isGiven(context, entry)) throw invalidInput('NonNull')
  if (entry.kind !== 'object') throw invalidInput(type)
  const members = membersOf(context, entry)
  const unknown = [...members.keys()].filter((name) => !entity.orders.has(name))
  if (unknown.length > 0) throw extraInputKeys(type, unknown)
  return [...members].flatMap(([name, direction]) => {
    const column = entity.orders.get(name)?.column
    if (!column || !isGiven(context, direction)) return []
    const known = direction.kind === 'string' && DIRECTIONS.get(direction.value)
    if (!known) throw invalidInput('OrderByDirection')
    if (direction.origin) context.operation.guards.record({ origin: direction.origin, fact: 'equals', value: direction.value })
    return [{ column, ...known }]
  })
}
