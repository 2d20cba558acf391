import {
  extraInputKeys,
  invalidInput,
  noMapping,
  noObjects,
  planLimitExceeded,
  tooManyImpacted,
  unknownMutationResultField,
  variableMissing,
} from '../errors.ts'
import { collectFields } from '../operation/collect-fields.ts'
import type { SelectedField } from '../operation/operation.ts'
import type { Value } from '../operation/value.ts'
import type { ColumnField, Entity } from '../schema/role-schema.ts'
import type { BoundParam, ColumnArray, DeletePlan, InsertedValues, InsertPlan, Predicate, Returning, UpdatePlan } from './plan.ts'
import type { PlanContext } from './plan-context.ts'
import { planFilter } from './plan-filter.ts'
import { planSelectedNode, refuseArguments } from './plan-node.ts'
import {
  bindArray,
  bindGiven,
  type Given,
  givenFor,
  guardInteger,
  integerText,
  isGiven,
  itemsOf,
  kindOf,
  membersOf,
} from './plan-values.ts'

const argument = (field: SelectedField, name: string): Value | undefined => field.args.find((arg) => arg.name === name)?.value

/** `insertInto…Collection(objects:)`: one INSERT; a column that some rows leave out takes its default there. */
export function planInsert(context: PlanContext, entity: Entity, field: SelectedField): InsertPlan {
  refuseArguments(field, 'objects')
  const objects = argument(field, 'objects')
  if (!isGiven(context, objects)) throw invalidInput('NonNull')
  const records = itemsOf(context, objects).map((object) => readRecord(context, object, entity.insertable, `${entity.name}InsertInput`))
  if (records.length === 0) throw noObjects()
  const fields = [...entity.insertable.values()].filter((field) => records.some((record) => record.has(field)))
  if (records.length * fields.length > context.limits.boundValues)
    throw planLimitExceeded('boundValues', context.limits.boundValues, 'values in objects')
  return {
    kind: 'insert',
    relation: entity.relation,
    columns: fields.map(({ column }) => column),
    values: valuesOf(records, fields),
    returning: planReturning(context, 'insert', entity, field),
  }
}

/** Arrays where several rows give the same columns. What they leave out to its default can only be said row by row. */
function valuesOf(records: readonly InputObject[], fields: readonly ColumnField[]): InsertedValues {
  const columns = fields.map((field) => ({ field, given: records.flatMap((record) => record.get(field) ?? []) }))
  if (records.length > 1 && columns.length > 0 && columns.every(({ given }) => given.length === records.length))
    return { kind: 'arrays', count: records.length, arrays: columns.map(({ field, given }) => arrayOf(given, field)) }
  const bound = (record: InputObject, field: ColumnField): BoundParam | null => {
    const given = record.get(field)
    return given ? bindGiven(given, field) : null
  }
  return { kind: 'rows', rows: records.map((record) => fields.map((field) => bound(record, field))) }
}

function arrayOf(given: readonly Given[], field: ColumnField): ColumnArray {
  const { column } = field
  const asText = column.type.element !== null
  return { column, array: bindArray(given, field, asText ? ',' : column.type.delimiter), asText }
}

/** `update…Collection(set:, filter:, atMost:)` */
export function planUpdate(context: PlanContext, entity: Entity, field: SelectedField): UpdatePlan {
  refuseArguments(field, 'set', 'filter', 'atMost')
  const set = argument(field, 'set')
  if (!isGiven(context, set)) throw invalidInput('NonNull')
  const assignments = readRecord(context, set, entity.updatable, `${entity.name}UpdateInput`)
  if (assignments.size === 0) throw noMapping()
  return {
    kind: 'update',
    relation: entity.relation,
    set: [...assignments].map(([field, given]) => ({ column: field.column, operand: bindGiven(given, field) })),
    where: planMeantFilter(context, argument(field, 'filter'), entity),
    atMost: readAtMost(context, 'update', argument(field, 'atMost')),
    returning: planReturning(context, 'update', entity, field),
  }
}

/** `deleteFrom…Collection(filter:, atMost:)` */
/**
 * A filter's condition goes when its variable is not given, as in a query. Where rows are changed one that must be given has to be: else those would be changed that
 * it was meant to keep.
 */
function planMeantFilter(context: PlanContext, filter: Value | undefined, entity: Entity): Predicate {
  if (filter) refuseMissing(context, filter)
  return planFilter(context, filter, entity)
}

function refuseMissing(context: PlanContext, value: Value): void {
  const { origin } = value
  if (value.kind === 'list') for (const item of value.items) refuseMissing(context, item)
  else if (value.kind === 'object') for (const member of value.fields.values()) refuseMissing(context, member)
  else if ((value.kind === 'absent' || value.kind === 'null') && origin && 'variable' in origin) {
    const type = context.operation.requiredType(origin.variable)
    if (type !== null) throw variableMissing(origin.variable, type)
  }
}

export function planDelete(context: PlanContext, entity: Entity, field: SelectedField): DeletePlan {
  refuseArguments(field, 'filter', 'atMost')
  return {
    kind: 'delete',
    relation: entity.relation,
    where: planMeantFilter(context, argument(field, 'filter'), entity),
    atMost: readAtMost(context, 'delete', argument(field, 'atMost')),
    returning: planReturning(context, 'delete', entity, field),
  }
}

/** Values per column. */
type InputObject = ReadonlyMap<ColumnField, Given>

/** Absent members are as if not written, null is SQL's null. */
function readRecord(context: PlanContext, value: Value, columns: ReadonlyMap<string, ColumnField>, type: string): InputObject {
  const kind = kindOf(context, value)
  if (kind === 'absent' || kind === 'null') throw invalidInput('NonNull')
  if (value.kind !== 'object') throw invalidInput(type)
  const members = membersOf(context, value)
  const unknown = [...members.keys()].filter((name) => !columns.has(name))
  if (unknown.length > 0) throw extraInputKeys(type, unknown)
  const record = new Map<ColumnField, Given>()
  for (const [name, member] of members) {
    const field = columns.get(name)
    if (field && kindOf(context, member) !== 'absent') record.set(field, givenFor(member, field))
  }
  return record
}

/** How many rows may be changed; what is no integer counts as the default, 1. No rows at all are more than a negative number. */
function readAtMost(context: PlanContext, kind: 'update' | 'delete', value: Value | undefined): number {
  if (!value) return 1
  const text = integerText(value)
  guardInteger(context, value, text)
  const most = text === null ? 1 : Number(text)
  if (most < 0) throw tooManyImpacted(kind)
  return most
}

function planReturning(context: PlanContext, kind: 'insert' | 'update' | 'delete', entity: Entity, field: SelectedField): Returning {
  const type = `${entity.name}${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}Response`
  const touch = entity.key[0] ?? entity.columns[0]?.column
  if (!touch) throw unknownMutationResultField(kind, field)
  return {
    touch,
    fields: collectFields(context.operation, field.selections, type).map((selected) => {
      const key = selected.responseKey
      switch (selected.name) {
        case '__typename':
          return { key, kind: 'literal', json: JSON.stringify(type) }
        case 'affectedCount':
          return { key, kind: 'affected count' }
        case 'records':
          refuseArguments(selected)
          return { key, kind: 'records', node: planSelectedNode(context, entity, selected) }
        default:
          throw unknownMutationResultField(kind, selected)
      }
    }),
  }
}
