import { assertNever } from '../../std/assert-never.ts'
import { extraArguments, keyNotGranted, type Place, selectionRequired, unknownNodeField } from '../errors.ts'
import { collectFields } from '../operation/collect-fields.ts'
import type { SelectedField } from '../operation/operation.ts'
import type { Entity, Join, NodeField } from '../schema/role-schema.ts'
import { encodingOf } from './encoding.ts'
import type { JoinColumns, NodePlan, NodeSelection } from './plan.ts'
import type { PlanContext } from './plan-context.ts'

/** Types that a fragment on an entity may name beside its own. Rows without a key are no Nodes. */
const interfacesOf = ({ relation }: Entity): readonly string[] => (relation.primaryKey.length > 0 ? NODE : [])
const NODE = ['Node']

/** The fields of a row. `unknown` words the error for a field the type does not have, which differs by where the row stands. */
export function planNode(
  context: PlanContext,
  entity: Entity,
  selections: SelectedField['selections'],
  unknown: (name: string, type: string, place: Place) => Error = unknownNodeField,
): NodePlan {
  const fields = collectFields(context.operation, selections, entity.name, interfacesOf(entity))
  return { relation: entity.relation, fields: fields.map((field) => planField(context, entity, field, unknown)) }
}

/** A row that must have a selection: pg_graphql sends SQL that fails when it has none. */
export function planSelectedNode(context: PlanContext, entity: Entity, field: SelectedField): NodePlan {
  if (field.selections.length === 0) throw selectionRequired(field.name, entity.name, field)
  return planNode(context, entity, field.selections)
}

function planField(
  context: PlanContext,
  entity: Entity,
  selected: SelectedField,
  unknown: (name: string, type: string, place: Place) => Error,
): NodeSelection {
  const key = selected.responseKey
  if (selected.name === '__typename') return { key, kind: 'literal', json: JSON.stringify(entity.name) }
  const field = entity.fields.get(selected.name)
  if (!field) throw unknown(selected.name, entity.name, selected)
  if (field.kind === 'node id' && !entity.addressable) throw keyNotGranted(entity.relation)
  return { key, ...planKnown(context, field, selected) }
}

type Unkeyed<T> = T extends { readonly key: string } ? Omit<T, 'key'> : never

function planKnown(context: PlanContext, field: NodeField, selected: SelectedField): Unkeyed<NodeSelection> {
  switch (field.kind) {
    case 'node id':
      return { kind: 'node id' }
    case 'column':
      return { kind: 'column', column: field.column.column, encoding: encodingOf(field.column.type) }
    case 'to-one':
      refuseArguments(selected)
      return {
        kind: 'to-one',
        join: joinColumns(field.join),
        first: field.join.key.declared,
        node: planSelectedNode(context, field.entity, selected),
      }
    case 'to-many':
      return {
        kind: 'to-many',
        collection: context.planCollection(context, field.entity, selected, {
          source: { kind: 'relation', relation: field.entity.relation },
          join: joinColumns(field.join),
        }),
      }
    case 'row':
      refuseArguments(selected)
      return { kind: 'row', column: field.column, node: planSelectedNode(context, field.entity, selected) }
    case 'computed':
      return { kind: 'computed', fn: field.fn, encoding: encodingOf(field.type) }
    case 'computed to-one':
      refuseArguments(selected)
      return { kind: 'computed to-one', fn: field.fn, node: planSelectedNode(context, field.entity, selected) }
    case 'computed to-many':
      return {
        kind: 'to-many',
        collection: context.planCollection(context, field.entity, selected, { source: { kind: 'row function', fn: field.fn }, join: [] }),
      }
    default:
      return assertNever(field)
  }
}

export function refuseArguments(selected: SelectedField, ...known: readonly string[]): void {
  const extra = selected.args.map((arg) => arg.name).filter((name) => !known.includes(name))
  if (extra.length > 0) throw extraArguments(extra, selected)
}

const joinColumns = ({ own, other }: Join): JoinColumns =>
  own.flatMap((outer, i) => {
    const inner = other[i]
    return inner ? [{ outer, inner }] : []
  })
