import { aggregateNotEnabled, keyNotGranted, unknownConnectionField, unknownEdgeField, unknownPageInfoField } from '../errors.ts'
import { collectFields } from '../operation/collect-fields.ts'
import type { SelectedField } from '../operation/operation.ts'
import type { Entity } from '../schema/role-schema.ts'
import type { CollectionPlan, ConnectionField, EdgeField, PageInfoField } from './plan.ts'
import { planAggregate } from './plan-aggregate.ts'
import type { CollectionOrigin, PlanContext } from './plan-context.ts'
import { planFilter } from './plan-filter.ts'
import { planSelectedNode, refuseArguments } from './plan-node.ts'
import { planOrder } from './plan-order.ts'
import { readPage } from './plan-page.ts'

const ARGUMENTS = ['first', 'last', 'before', 'after', 'offset', 'filter', 'orderBy']

/** A connection: which rows, in which order, which page of them, and what of it is asked for. */
export function planCollection(context: PlanContext, entity: Entity, field: SelectedField, from: CollectionOrigin): CollectionPlan {
  refuseArguments(field, ...ARGUMENTS, ...(from.otherArguments ?? []))
  const argument = (name: string) => field.args.find((arg) => arg.name === name)?.value
  const pageOf = readPage(
    context,
    { first: argument('first'), last: argument('last'), offset: argument('offset'), before: argument('before'), after: argument('after') },
    entity.maxRows,
  )
  const where = planFilter(context, argument('filter'), entity)
  const order = planOrder(context, argument('orderBy'), entity)
  const page = pageOf(order)
  const { relation } = entity
  const select = collectFields(context.operation, field.selections, `${entity.name}Connection`).flatMap((selected) =>
    planConnectionField(context, entity, selected),
  )
  // a part of the key does not say where a row stands: rows behind it would be lost
  if (!entity.addressable && (page.cursor || select.some(tellsPlaces))) throw keyNotGranted(relation)
  return { source: from.source, relation, join: from.join, where, order, page, select }
}

function tellsPlaces(field: ConnectionField): boolean {
  if (field.kind === 'edges') return field.fields.some(({ kind }) => kind === 'cursor')
  return field.kind === 'page info' && field.fields.some(({ kind }) => kind === 'start cursor' || kind === 'end cursor')
}

function planConnectionField(context: PlanContext, entity: Entity, field: SelectedField): readonly ConnectionField[] {
  const key = field.responseKey
  const { totalCount, aggregate } = entity.relation.directives
  switch (field.name) {
    case '__typename':
      return [{ key, kind: 'literal', json: JSON.stringify(`${entity.name}Connection`) }]
    case 'edges':
      return [{ key, kind: 'edges', fields: planEdge(context, entity, field) }]
    case 'pageInfo':
      return [{ key, kind: 'page info', fields: planPageInfo(context, field) }]
    case 'totalCount':
      if (totalCount) return [{ key, kind: 'total count' }]
      throw unknownConnectionField(field)
    case 'aggregate':
      if (!aggregate) throw aggregateNotEnabled(field)
      return field.selections.length > 0 ? [{ key, kind: 'aggregate', fields: planAggregate(context, entity, field) }] : []
    default:
      throw unknownConnectionField(field)
  }
}

function planEdge(context: PlanContext, entity: Entity, edges: SelectedField): readonly EdgeField[] {
  return collectFields(context.operation, edges.selections, `${entity.name}Edge`).map((field): EdgeField => {
    const key = field.responseKey
    switch (field.name) {
      case '__typename':
        return { key, kind: 'literal', json: JSON.stringify(`${entity.name}Edge`) }
      case 'cursor':
        return { key, kind: 'cursor' }
      case 'node':
        refuseArguments(field)
        return { key, kind: 'node', node: planSelectedNode(context, entity, field) }
      default:
        throw unknownEdgeField(field)
    }
  })
}

const PAGE_INFO: ReadonlyMap<string, 'has next page' | 'has previous page' | 'start cursor' | 'end cursor'> = new Map([
  ['hasNextPage', 'has next page'],
  ['hasPreviousPage', 'has previous page'],
  ['startCursor', 'start cursor'],
  ['endCursor', 'end cursor'],
])

function planPageInfo(context: PlanContext, pageInfo: SelectedField): readonly PageInfoField[] {
  return collectFields(context.operation, pageInfo.selections, 'PageInfo').map((field): PageInfoField => {
    const key = field.responseKey
    if (field.name === '__typename') return { key, kind: 'literal', json: '"PageInfo"' }
    const kind = PAGE_INFO.get(field.name)
    if (!kind) throw unknownPageInfoField(field)
    return { key, kind }
  })
}
