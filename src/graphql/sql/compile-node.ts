import { constant, ident, type Sql, sql } from '../../sqltext/sql.ts'
import { assertNever } from '../../std/assert-never.ts'
import type { JoinColumns, NodePlan, NodeSelection } from '../plan/plan.ts'
import type { Compilation } from './compilation.ts'
import { nodeIdText } from './compile-keys.ts'
import { conjunction } from './compile-predicate.ts'
import { encode } from './encode.ts'
import { concatenation, type JsonText, jsonObject } from './json-text.ts'
import { createRow, type Row } from './row.ts'

/** The JSON object of a row. */
export const compileNode = (node: NodePlan, row: Row, compilation: Compilation): JsonText =>
  jsonObject(node.fields.map((field) => ({ key: field.key, value: compileSelection(node, field, row, compilation) })))

function compileSelection(node: NodePlan, field: NodeSelection, row: Row, compilation: Compilation): JsonText {
  switch (field.kind) {
    case 'literal':
      return [field.json]
    case 'column':
      return encode(row.column(field.column), field.encoding, row.isNullable(field.column))
    case 'node id':
      return ['"', nodeIdText(row, node.relation), '"']
    case 'to-one':
      return [compileToOne(field.join, field.first, field.node, row, compilation)]
    case 'to-many':
      return [compilation.compileCollection(field.collection, row, compilation)]
    case 'row':
      return [compileRowOf(sql`(select (${row.column(field.column)}).*)`, field.node, compilation)]
    case 'computed':
      return encode(sql`${ident(field.fn.schema.name, field.fn.name)}(${row.whole()})`, field.encoding, true)
    case 'computed to-one':
      return [compileRowOf(sql`${ident(field.fn.schema.name, field.fn.name)}(${row.whole()})`, field.node, compilation)]
    default:
      return assertNever(field)
  }
}

function compileToOne(join: JoinColumns, first: boolean, node: NodePlan, outer: Row, compilation: Compilation): Sql {
  const alias = compilation.nextAlias()
  const json = concatenation(compileNode(node, createRow(alias, node.relation, true), compilation))
  const on = compileJoin(join, outer, (column) => ident(alias, column.name))
  const relation = ident(node.relation.schema.name, node.relation.name)
  return sql`coalesce((select ${json} from ${relation} ${ident(alias)} where ${on}${constant(first ? ' limit 1' : '')}), 'null')`
}

/** The row a function returns; null when there is none, or nothing in it. */
export function compileRowOf(call: Sql, node: NodePlan, compilation: Compilation): Sql {
  const alias = compilation.nextAlias()
  const row = createRow(alias, node.relation, false)
  return sql`coalesce((select ${concatenation(compileNode(node, row, compilation))} from ${call} ${ident(alias)} where not (${ident(alias)} is null) limit 1), 'null')`
}

export const compileJoin = (columns: JoinColumns, outer: Row, inner: (column: JoinColumns[number]['inner']) => Sql): Sql =>
  conjunction(columns.map((pair) => sql`${inner(pair.inner)} = ${outer.column(pair.outer)}`))
