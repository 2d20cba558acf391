import type { Relation } from '../../catalog/model.ts'
import { assertNever } from '../../std/assert-never.ts'
import type { CollectionPlan, NodePlan, OrderTerm, Page, Predicate, Returning, RootPlan, Source } from './plan.ts'

/** A plan for people: a line a thing, nested by indentation. */
export function printPlan(kind: 'query' | 'mutation', roots: readonly RootPlan[]): string {
  return [kind, ...roots.flatMap((root) => indent(printRoot(root)))].join('\n')
}

const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)

const nameOf = (relation: Relation): string => `${relation.schema.name}.${relation.name}`

function printRoot(root: RootPlan): readonly string[] {
  switch (root.kind) {
    case 'literal':
      return [`${root.key}: literal, ${root.json.length} characters`]
    case 'collection':
      return printCollection(root.key, root.collection)
    case 'record':
      return [`${root.key}: record of ${printSource(root.source)}${printWhere(root.where)}`, ...indent(printNode(root.node))]
    case 'value':
      return [`${root.key}: value of ${printSource(root.source)}`]
    case 'insert':
      return [
        `${root.key}: insert ${root.values.kind === 'rows' ? root.values.rows.length : root.values.count} into ${nameOf(root.relation)} (${root.columns.map(({ name }) => name).join(', ')})`,
        ...indent(printReturning(root.returning)),
      ]
    case 'update':
      return [
        `${root.key}: update ${nameOf(root.relation)} set ${root.set.map(({ column }) => column.name).join(', ')}${printWhere(root.where)} at most ${root.atMost}`,
        ...indent(printReturning(root.returning)),
      ]
    case 'delete':
      return [
        `${root.key}: delete from ${nameOf(root.relation)}${printWhere(root.where)} at most ${root.atMost}`,
        ...indent(printReturning(root.returning)),
      ]
    default:
      return assertNever(root)
  }
}

function printSource(source: Source): string {
  switch (source.kind) {
    case 'relation':
      return nameOf(source.relation)
    case 'function':
      return `${source.fn.schema.name}.${source.fn.name}(${source.args.map(({ name }) => name).join(', ')})${source.once ? ' once' : ''}`
    case 'row function':
      return `${source.fn.schema.name}.${source.fn.name}(row)`
    default:
      return assertNever(source)
  }
}

function printCollection(key: string, plan: CollectionPlan): readonly string[] {
  const via =
    plan.join.length > 0 ? ` where ${plan.join.map(({ inner, outer }) => `${inner.name} = outer ${outer.name}`).join(' and ')}` : ''
  const head = `${key}: collection ${printSource(plan.source)}${via}${printWhere(plan.where)} order ${plan.order.map(printOrder).join(', ')} ${printPage(plan.page)}`
  return [
    head,
    ...indent(
      plan.select.flatMap((field): readonly string[] => {
        switch (field.kind) {
          case 'edges':
            return field.fields.flatMap((edge) =>
              edge.kind === 'node'
                ? [`${field.key}.${edge.key}`, ...indent(printNode(edge.node))]
                : [`${field.key}.${edge.key}: ${edge.kind}`],
            )
          case 'page info':
            return field.fields.map((fact) => `${field.key}.${fact.key}: ${fact.kind}`)
          case 'aggregate':
            return field.fields.map((of) => `${field.key}.${of.key}: ${of.kind}`)
          default:
            return [`${field.key}: ${field.kind}`]
        }
      }),
    ),
  ]
}

const printOrder = ({ column, direction, nulls }: OrderTerm): string => `${column.name} ${direction} nulls ${nulls}`

function printPage({ rows, from, offset, cursor }: Page): string {
  const after = cursor ? ` beyond a cursor of ${cursor.length}` : ''
  return `rows ${rows} from ${from}${offset ? ' offset' : ''}${after}`
}

const printWhere = (predicate: Predicate): string =>
  predicate.kind === 'and' && predicate.terms.length === 0 ? '' : ` filter ${printPredicate(predicate)}`

function printPredicate(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'compare':
      return `${predicate.column.name} ${predicate.operator} ?`
    case 'in':
      return `${predicate.column.name} in ?`
    case 'is null':
      return `${predicate.column.name} is ${predicate.negated ? 'not ' : ''}null`
    case 'and':
    case 'or':
      return `(${predicate.terms.map(printPredicate).join(` ${predicate.kind} `)})`
    case 'not':
      return `not ${printPredicate(predicate.term)}`
    default:
      return assertNever(predicate)
  }
}

const printReturning = ({ fields }: Returning): readonly string[] =>
  fields.flatMap((field) =>
    field.kind === 'records' ? [`${field.key}: records`, ...indent(printNode(field.node))] : [`${field.key}: ${field.kind}`],
  )

function printNode(node: NodePlan): readonly string[] {
  return node.fields.flatMap((field): readonly string[] => {
    switch (field.kind) {
      case 'literal':
      case 'node id':
        return [`${field.key}: ${field.kind}`]
      case 'column':
        return [`${field.key}: column ${field.column.name}`]
      case 'to-one':
        return [
          `${field.key}: to-one ${nameOf(field.node.relation)} where ${field.join.map(({ inner, outer }) => `${inner.name} = outer ${outer.name}`).join(' and ')}`,
          ...indent(printNode(field.node)),
        ]
      case 'row':
        return [`${field.key}: row in column ${field.column.name}`, ...indent(printNode(field.node))]
      case 'to-many':
        return printCollection(field.key, field.collection)
      case 'computed':
        return [`${field.key}: ${field.fn.schema.name}.${field.fn.name}(row)`]
      case 'computed to-one':
        return [`${field.key}: row of ${field.fn.schema.name}.${field.fn.name}(row)`, ...indent(printNode(field.node))]
      default:
        return assertNever(field)
    }
  })
}
