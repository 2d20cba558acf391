import type { Column } from '../../catalog/model.ts'
import { constant, ident, join, literal, param, type Sql, sql } from '../../sqltext/sql.ts'
import type { DeletePlan, InsertPlan, Returning, UpdatePlan } from '../plan/plan.ts'
import { boundedAnswerOfChange } from './bounded-answer.ts'
import type { Compilation } from './compilation.ts'
import { compileNode } from './compile-node.ts'
import { compilePredicate, typed } from './compile-predicate.ts'
import { concatenation, type JsonText, jsonObject } from './json-text.ts'
import { createRow, nameBeside, type Row } from './row.ts'

/**
 * One statement per root: it must see its own writes, and of two changes to one row in one statement PostgreSQL loses one.
 * Relations in what is returned are read as they were before the statement, as with pg_graphql.
 */
export function compileInsert(plan: InsertPlan, compilation: Compilation): Sql {
  return returning(plan, null, compilation, (alias, list) => {
    const target = sql`insert into ${ident(plan.relation.schema.name, plan.relation.name)} as ${alias}`
    return sql`${target}${insertedRows(plan)} returning ${list}`
  })
}

function insertedRows(plan: InsertPlan): Sql {
  const columns = plan.columns.length > 0 ? plan.columns : [plan.returning.touch]
  const names = columns.map((column) => ident(column.name))
  if (plan.values.kind === 'arrays') {
    const arrays = plan.values.arrays.map(
      ({ column, array, asText }) => sql`${param(array)}::${constant(asText ? 'text' : column.declared)}[]`,
    )
    const given = plan.values.arrays.map(
      ({ column, asText }) => sql`${ident('given', column.name)}${constant(asText ? `::${column.declared}` : '')}`,
    )
    return sql` (${join(names, ', ')}) select ${join(given, ', ')} from unnest(${join(arrays, ', ')}) ${ident('given')} (${join(names, ', ')})`
  }
  const { rows: given } = plan.values
  if (plan.columns.length === 0 && given.length === 1) return constant(' default values')
  const rows = given.map((row) => {
    const values = columns.map((column, i) => {
      const operand = row[i]
      return operand ? typed(operand, column) : constant('default')
    })
    return sql`(${join(values, ', ')})`
  })
  return sql` (${join(names, ', ')}) values ${join(rows, ', ')}`
}

export function compileUpdate(plan: UpdatePlan, compilation: Compilation): Sql {
  return returning(plan, { atMost: plan.atMost, otherwise: 'update impacts too many records' }, compilation, (alias, list, column) => {
    const assignments = plan.set.map(({ column: of, operand }) => sql`${ident(of.name)} = ${typed(operand, of)}`)
    const target = sql`update ${ident(plan.relation.schema.name, plan.relation.name)} as ${alias}`
    return sql`${target} set ${join(assignments, ', ')} where ${compilePredicate(plan.where, column)} returning ${list}`
  })
}

export function compileDelete(plan: DeletePlan, compilation: Compilation): Sql {
  return returning(plan, { atMost: plan.atMost, otherwise: 'delete impacts too many records' }, compilation, (alias, list, column) => {
    const target = sql`delete from ${ident(plan.relation.schema.name, plan.relation.name)} as ${alias}`
    return sql`${target} where ${compilePredicate(plan.where, column)} returning ${list}`
  })
}

type Guard = { readonly atMost: number; readonly otherwise: string }

function returning(
  { relation, returning: asked }: InsertPlan | UpdatePlan | DeletePlan,
  guard: Guard | null,
  compilation: Compilation,
  change: (alias: Sql, list: Sql, column: (column: Column) => Sql) => Sql,
): Sql {
  const alias = compilation.nextAlias()
  const row = createRow(alias, relation, true)
  // asked for even when nobody selects it: only a statement that returns columns is held to the policies on reading
  row.column(asked.touch)
  const json = concatenation(jsonObject(asked.fields.map((field) => ({ key: field.key, value: compileReturned(field, row, compilation) }))))
  const changed = change(ident(alias), row.selectList(), (column) => ident(alias, column.name))
  const rows = guard ? atMost(guard, alias, nameBeside(relation, '(place)')) : sql`${ident('changed')} ${ident(alias)}`
  // the count keeps this an aggregate, one row whatever was changed
  const from = sql` from ${rows} having count(*) >= 0`
  return sql`with ${ident('changed')} as (${changed}) ${boundedAnswerOfChange(json, compilation.maxBytes, from)}`
}

/** Rows are changed as they are asked for, so one too many ends the statement there, and not when a whole table has been changed. */
function atMost({ atMost: most, otherwise }: Guard, alias: string, name: string): Sql {
  const [place, rows] = [ident(alias, name), ident(alias)]
  const counted = sql`(select *, row_number() over () as ${ident(name)} from ${ident('changed')}) ${rows}`
  return sql`${counted} where case when ${place} > ${constant(String(most))} then stowage_graphql.refuse(${literal(otherwise)}) is null else true end`
}

function compileReturned(field: Returning['fields'][number], row: Row, compilation: Compilation): JsonText {
  switch (field.kind) {
    case 'literal':
      return [field.json]
    case 'affected count':
      return [constant('count(*)::text')]
    default:
      return ['[', sql`coalesce(string_agg(${concatenation(compileNode(field.node, row, compilation))}, ','), '')`, ']']
  }
}
