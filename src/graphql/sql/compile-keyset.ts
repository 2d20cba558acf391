import type { Column } from '../../catalog/model.ts'
import { constant, join, type Sql, sql } from '../../sqltext/sql.ts'
import type { CursorValue, OrderTerm } from '../plan/plan.ts'
import { conjunction, disjunction, typed } from './compile-predicate.ts'

/**
 * Rows strictly after the cursor in reading order; a cursor may hold fewer values than the order has terms.
 *
 * Where all columns are NOT NULL and point one way this is a row comparison, which an index answers; else the alternatives are
 * spelled out, with the bound on the first column in front, so that an index still finds the start.
 */
export function compileKeyset(order: readonly OrderTerm[], cursor: readonly CursorValue[], column: (column: Column) => Sql): Sql {
  const steps = cursor.flatMap((value, i) => {
    const term = order[i]
    return term ? [{ term, value }] : []
  })
  const [first] = steps
  if (!first) return constant('false')
  const oneWay = steps.every(({ term, value }) => term.direction === first.term.direction && term.column.notNull && !value.isNull)
  if (oneWay) {
    const columns = steps.map(({ term }) => column(term.column))
    const values = steps.flatMap(({ term, value }) => (value.isNull ? [] : [typed(value.operand, term.column)]))
    return sql`${tuple(columns)} ${beyond(first.term)} ${tuple(values)}`
  }
  const alternatives = steps.map((_, i) =>
    conjunction([
      ...steps.slice(0, i).map(({ term, value }) => equals(term, value, column)),
      ...steps.slice(i, i + 1).map(({ term, value }) => isAfter(term, value, column)),
    ]),
  )
  const bound =
    first.term.column.notNull && !first.value.isNull
      ? [sql`${column(first.term.column)} ${beyond(first.term)}= ${typed(first.value.operand, first.term.column)}`]
      : []
  return conjunction([...bound, disjunction(alternatives)])
}

const tuple = (items: readonly Sql[]): Sql => (items.length === 1 && items[0] ? items[0] : sql`(${join(items, ', ')})`)

const beyond = (term: OrderTerm): Sql => constant(term.direction === 'asc' ? '>' : '<')

function equals({ column: of }: OrderTerm, value: CursorValue, column: (column: Column) => Sql): Sql {
  return value.isNull ? isNull(column(of)) : sql`${column(of)} = ${typed(value.operand, of)}`
}

function isAfter(term: OrderTerm, value: CursorValue, column: (column: Column) => Sql): Sql {
  const reference = column(term.column)
  if (value.isNull) return term.nulls === 'first' ? isNotNull(reference) : constant('false')
  const after = sql`${reference} ${beyond(term)} ${typed(value.operand, term.column)}`
  return term.nulls === 'last' && !term.column.notNull ? sql`(${after} or ${isNull(reference)})` : after
}

/** In an order a row is null only as a whole, where `is null` would look into it too (PostgreSQL manual 9.2). To PostgreSQL's planner it is the same. */
export const isNull = (reference: Sql): Sql => sql`${reference} is not distinct from null`

export const isNotNull = (reference: Sql): Sql => sql`${reference} is distinct from null`
