import { unknownAggregateColumn, unknownAggregateField } from '../errors.ts'
import { collectFields } from '../operation/collect-fields.ts'
import type { SelectedField } from '../operation/operation.ts'
import { type AggregateFunction, aggregateColumns } from '../schema/aggregate-columns.ts'
import type { Entity } from '../schema/role-schema.ts'
import type { AggregateColumn, AggregateField } from './plan.ts'
import type { PlanContext } from './plan-context.ts'

const FUNCTIONS: ReadonlyMap<string, AggregateFunction> = new Map([
  ['sum', 'sum'],
  ['avg', 'avg'],
  ['min', 'min'],
  ['max', 'max'],
])

/** `aggregate { count sum { … } … }`: over all rows that the filter lets through, whatever the page. */
export function planAggregate(context: PlanContext, entity: Entity, aggregate: SelectedField): readonly AggregateField[] {
  const type = `${entity.name}Aggregate`
  return collectFields(context.operation, aggregate.selections, type).map((field): AggregateField => {
    const key = field.responseKey
    if (field.name === '__typename') return { key, kind: 'literal', json: JSON.stringify(type) }
    if (field.name === 'count') return { key, kind: 'count' }
    const fn = FUNCTIONS.get(field.name)
    if (!fn || aggregateColumns(entity, fn).length === 0) throw unknownAggregateField(field.name, type, field)
    return { key, kind: 'of columns', fields: planColumns(context, entity, fn, field) }
  })
}

function planColumns(context: PlanContext, entity: Entity, fn: AggregateFunction, aggregate: SelectedField): readonly AggregateColumn[] {
  const type = `${entity.name}${fn.slice(0, 1).toUpperCase()}${fn.slice(1)}AggregateResult`
  const columns = aggregateColumns(entity, fn)
  return collectFields(context.operation, aggregate.selections, type).map((field): AggregateColumn => {
    const key = field.responseKey
    if (field.name === '__typename') return { key, kind: 'literal', json: JSON.stringify(type) }
    const found = columns.find(({ name }) => name === field.name)
    if (!found) throw unknownAggregateColumn(field.name, type, field)
    return { key, kind: 'column', column: found.column, fn }
  })
}
