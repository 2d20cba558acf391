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
  const { columns } = bestIndex(order, indexes)
  const terms = distinct(order).map((term) => sql`${column(term.column)}${constant(suffixOf(term, columns))}`)
  return terms.length > 0 ? sql` order by ${join(terms, ', ')}` : constant('')
}

const distinct = (order: readonly OrderTerm[]): readonly OrderTerm[] =>
  order.filter(({ column }, i) => order.findIndex((other) => other.column.name === column.name) === i)

/** PostgreSQL has nulls last ascending and first descending. Where there is none their place makes no difference but to an index: it is said as that has it. */
function suffixOf(term: OrderTerm, index: readonly IndexColumn[]): string {
  const entry = index.find(({ column }) => column.name === term.column.name)
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
  const { served, terms } = bestIndex(order, { orders: orders.filter(({ covers }) => covering.includes(covers)), given })
  return served === 0 ? 'nothing' : served === terms ? 'all' : 'its beginning'
}

/** The index that gives most terms of the order: its columns, how many terms these are, and of how many. */
function bestIndex(order: readonly OrderTerm[], { orders, given }: Indexes) {
  const isFree = ({ column }: { readonly column: Column }) => !given.has(column.name)
  const terms = distinct(order).filter(isFree)
  let best: { readonly columns: readonly IndexColumn[]; readonly served: number } = { columns: [], served: 0 }
  for (const { columns } of orders) {
    const served = termsServed(terms, columns.filter(isFree))
    if (served > best.served) best = { columns, served }
  }
  return { ...best, terms: terms.length }
}

/** An index is read forward or backward, all its columns alike. */
function termsServed(terms: readonly OrderTerm[], entries: readonly IndexColumn[]): number {
  const isTurned = (i: number) => (terms[i]?.direction === 'desc') !== entries[i]?.descending
  const end = terms.findIndex((term, i) => {
    const entry = entries[i]
    const hasNullsThere = term.column.notNull || placesNulls(term) === entry?.nullsPlaced
    return entry?.column.name !== term.column.name || isTurned(i) !== isTurned(0) || !hasNullsThere
  })
  return end === -1 ? terms.length : end
}
