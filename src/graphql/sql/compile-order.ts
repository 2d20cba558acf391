import type { Column, IndexColumn, IndexOrder } from '../../catalog/model.ts'
import { constant, join, type Sql, sql } from '../../sqltext/sql.ts'
import type { OrderTerm } from '../plan/plan.ts'

/** The order in which a page is read: from its end everything is turned round. */
export const readingOrder = (order: readonly OrderTerm[], from: 'start' | 'end'): readonly OrderTerm[] =>
  from === 'start'
    ? order
    : order.map(({ column, direction, nulls }) => ({
        column,
        direction: direction === 'asc' ? 'desc' : 'asc',
        nulls: nulls === 'first' ? 'last' : 'first',
      }))

/** The indexes that may give an order, and the names of the columns of which all rows have one value. */
export type Indexes = { readonly orders: readonly IndexOrder[]; readonly given: ReadonlySet<string> }

export function compileOrder(order: readonly OrderTerm[], indexes: Indexes, column: (column: Column) => Sql): Sql {
  const index = bestIndex(order, indexes)
  const terms = distinct(order).map((term) => sql`${column(term.column)}${constant(suffixOf(term, index))}`)
  return terms.length > 0 ? sql` order by ${join(terms, ', ')}` : constant('')
}

const distinct = (order: readonly OrderTerm[]): readonly OrderTerm[] =>
  order.filter(({ column }, i) => order.findIndex((other) => other.column.name === column.name) === i)

/** PostgreSQL has nulls last ascending and first descending. Where there is none their place makes no difference but to an index: it is said as that has it. */
function suffixOf(term: OrderTerm, index: readonly IndexColumn[] | null): string {
  const entry = index?.find(({ column }) => column.name === term.column.name)
  const placed = term.column.notNull ? (entry?.nullsPlaced ?? false) : placesNulls(term)
  if (term.direction === 'asc') return placed ? ' nulls first' : ''
  return placed ? ' desc nulls last' : ' desc'
}

const placesNulls = ({ direction, nulls }: OrderTerm): boolean => (direction === 'asc') === (nulls === 'first')

/** How far an index gives an order, of those that cover the rows. */
export function served(
  order: readonly OrderTerm[],
  { orders, given }: Indexes,
  ...covering: readonly IndexOrder['covers'][]
): 'all' | 'its beginning' | 'nothing' {
  const indexes = { orders: orders.filter(({ covers }) => covering.includes(covers)), given }
  const index = bestIndex(order, indexes)
  const terms = index ? termsServed(order, index, indexes.given) : 0
  return terms === 0 ? 'nothing' : terms === sorting(order, indexes.given).length ? 'all' : 'its beginning'
}

/** The one that gives most terms of the order. */
function bestIndex(order: readonly OrderTerm[], { orders, given }: Indexes): readonly IndexColumn[] | null {
  let best: readonly IndexColumn[] | null = null
  let most = 0
  for (const { columns } of orders) {
    const terms = termsServed(order, columns, given)
    if (terms > most) [best, most] = [columns, terms]
  }
  return best
}

const sorting = (order: readonly OrderTerm[], given: ReadonlySet<string>): readonly OrderTerm[] =>
  distinct(order).filter(({ column }) => !given.has(column.name))

/** An index is read forward or backward, all its columns alike. */
function termsServed(order: readonly OrderTerm[], index: readonly IndexColumn[], given: ReadonlySet<string>): number {
  const terms = sorting(order, given)
  const entries = index.filter(({ column }) => !given.has(column.name))
  const isTurned = (i: number) => (terms[i]?.direction === 'desc') !== entries[i]?.descending
  const end = terms.findIndex((term, i) => {
    const entry = entries[i]
    const hasNullsThere = term.column.notNull || placesNulls(term) === entry?.nullsPlaced
    return entry?.column.name !== term.column.name || isTurned(i) !== isTurned(0) || !hasNullsThere
  })
  return end === -1 ? terms.length : end
}
