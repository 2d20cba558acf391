import type { Column, IndexOrder, RelationKind } from '../../catalog/model.ts'
import { constant, ident, param, type Sql, sql } from '../../sqltext/sql.ts'
import type { BoundParam, CollectionPlan, CursorValue, OrderTerm, Predicate } from '../plan/plan.ts'
import type { Compilation } from './compilation.ts'
import { compileKeyset, isNotNull, isNull } from './compile-keyset.ts'
import { compileJoin } from './compile-node.ts'
import { compileOrder, type Indexes, readingOrder, served } from './compile-order.ts'
import { compilePredicate, conjunction } from './compile-predicate.ts'
import type { Row } from './row.ts'

/** Where the rows of a collection come from. `outer`: the row around, that they are joined to. */
export type Rows = {
  readonly plan: CollectionPlan
  readonly from: Sql
  readonly outer: Row | null
  readonly compilation: Compilation
}

/** Which of them: so many in reading order, beyond a cursor, behind an offset. */
export type Bounds = { readonly limit: number; readonly cursor: readonly CursorValue[] | null; readonly offset: BoundParam | null }

type ColumnOf = (column: Column) => Sql

/** SQL over the columns of a row. */
export type OfColumns = (column: ColumnOf) => Sql

/** A stretch of the rows: which they are, and how they lie. */
type Part = { readonly where: (column: ColumnOf) => readonly Sql[]; readonly order: readonly OrderTerm[] }

/** The rows of a page in reading order, as a subselect that yields under `alias` what was asked of `row`. */
export function compilePage(rows: Rows, alias: string, row: Row, bounds: Bounds): Sql {
  const { plan, compilation } = rows
  const order = orderOf(plan)
  const indexes = indexesOf(plan)
  const [near, far] = partsOf(plan, order, indexes, bounds.cursor)
  const read = (part: Part) => readPart(rows, alias, row, indexes, part)
  const offset = bounds.offset ? sql` offset ${param(bounds.offset)}::int8` : constant('')
  const limit = constant(` limit ${bounds.limit}`)
  if (!far) return sql`(${read(near)}${limit}${offset})`

  // what joins the parts is ordered once more
  for (const term of order) row.column(term.column)
  const most = bounds.offset
    ? sql`${constant(String(bounds.limit))} + least(${param(bounds.offset)}::int8, ${constant(FAR)})`
    : constant(String(bounds.limit))
  const first = ident(compilation.nextAlias())
  const ifNeeded: Part = { ...far, where: (column) => [...far.where(column), sql`(select count(*) from ${first}) < ${most}`] }
  const both = sql`select * from ${first} union all (${read(ifNeeded)} limit ${most})`
  const joined = compileOrder(order, NO_INDEX, (of) => ident(alias, of.name))
  return sql`(with ${first} as (${read(near)} limit ${most}) select * from (${both}) ${ident(alias)}${joined}${limit}${offset})`
}

/** Beyond all rows that a table can have, and a sum with it is no overflow. */
const FAR = String(2n ** 62n)

function readPart(rows: Rows, alias: string, row: Row, indexes: Indexes, { where, order }: Part): Sql {
  const column: ColumnOf = (of) => ident(alias, of.name)
  const condition = conjunction([...conditions(rows, column), ...where(column)])
  const ordered = compileOrder(order, indexes, column)
  return sql`select ${row.selectList()} from ${rows.from} ${ident(alias)} where ${condition}${ordered}`
}

/** All rows of the collection, in no order. */
export function compileEveryRow(rows: Rows, items: OfColumns, where: (column: ColumnOf) => readonly Sql[] = () => []): Sql {
  const every = rows.compilation.nextAlias()
  const column: ColumnOf = (of) => ident(every, of.name)
  const condition = conjunction([...conditions(rows, column), ...where(column)])
  return sql`select ${items(column)} from ${rows.from} ${ident(every)} where ${condition}`
}

function conditions({ plan, outer }: Rows, column: ColumnOf): readonly Sql[] {
  const joined = outer && plan.join.length > 0 ? [compileJoin(plan.join, outer, column)] : []
  const filtered = plan.where.kind === 'and' && plan.where.terms.length === 0 ? [] : [compilePredicate(plan.where, column)]
  return [...joined, ...filtered]
}

/**
 * How an index can be followed. It has the nulls of a column at one end, so they are read apart where the order has them at the other, and where they
 * lie behind the values that a cursor leaves. Two parts: the second is read if the first has not enough.
 */
function partsOf(plan: CollectionPlan, order: readonly OrderTerm[], indexes: Indexes, cursor: Bounds['cursor']): readonly [Part, Part?] {
  const whole: Part = { where: (column) => (cursor ? [compileKeyset(order, cursor, column)] : []), order }
  // nothing to sort, which costs a point lookup a tenth of its time
  if (isOneRow(plan, indexes.given)) return [{ ...whole, order: [] }]
  const [first, ...rest] = order
  const [known, ...others] = cursor ?? []
  // a function would be called for each part
  if (!first || first.column.notNull || (cursor && !known) || plan.source.kind !== 'relation') return [whole]

  const beyondValue = known && !known.isNull ? cursor : null
  const beyondNull = known?.isNull ? others : null
  const ofValues = [withoutNulls(first), ...rest]
  const values: Part = {
    // said though a comparison implies it: a comparison of rows tells PostgreSQL not that an index of values will do
    where: (column) => [isNotNull(column(first.column)), ...(beyondValue ? [compileKeyset(ofValues, beyondValue, column)] : [])],
    order: ofValues,
  }
  const nulls: Part = {
    where: (column) => [isNull(column(first.column)), ...(beyondNull ? [compileKeyset(rest, beyondNull, column)] : [])],
    order: rest,
  }
  const [near, far] = first.nulls === 'first' ? [nulls, values] : [values, nulls]
  if (known && known.isNull === (first.nulls === 'last')) return [far]
  return isFollowed(order, ofValues, indexes, known !== undefined) ? [whole] : [near, far]
}

/** Whether nothing is won by parts: an index gives the order as it is, or none gives that of the values. */
function isFollowed(order: readonly OrderTerm[], ofValues: readonly OrderTerm[], indexes: Indexes, fromCursor: boolean): boolean {
  if (served(ofValues, indexes, 'all rows', 'rows with a value') === 'nothing') return true
  const whole = served(order, indexes, 'all rows')
  // nulls in front would all be sorted by the other columns
  return !fromCursor && (whole === 'all' || (whole === 'its beginning' && order[0]?.nulls === 'last'))
}

/** Whether the rows have to be sorted, whatever is done about nulls. Of views, and of functions that PostgreSQL puts in place of their calls, nobody knows. */
export const isSorted = (plan: CollectionPlan): boolean =>
  plan.source.kind === 'relation' &&
  HAVE_INDEXES.has(plan.relation.kind) &&
  served(orderOf(plan).map(withoutNulls), indexesOf(plan), 'all rows') === 'nothing'

const HAVE_INDEXES: ReadonlySet<RelationKind> = new Set(['table', 'partitioned table', 'materialized view'])

const withoutNulls = (term: OrderTerm): OrderTerm => ({ ...term, column: { ...term.column, notNull: true } })

/** As the page is read. A column that the filter compares with a value is null in no row that is left. */
function orderOf(plan: CollectionPlan): readonly OrderTerm[] {
  const compared = new Set<string>()
  for (const term of termsOf(plan.where)) {
    if (term.kind === 'compare' || term.kind === 'in' || (term.kind === 'is null' && term.negated)) compared.add(term.column.name)
  }
  return readingOrder(plan.order, plan.page.from).map((term) => (compared.has(term.column.name) ? withoutNulls(term) : term))
}

/** Whether the values of a unique index are given. */
const isOneRow = ({ source }: CollectionPlan, given: ReadonlySet<string>): boolean =>
  source.kind === 'relation' && source.relation.uniqueKeys.some((key) => key.every(({ name }) => given.has(name)))

const NO_INDEX: Indexes = { orders: [], given: new Set() }

/** Rows that are joined to a row around come in an index's order where it has the joined columns in front. */
function indexesOf(plan: CollectionPlan): Indexes {
  const given = givenColumns(plan)
  const inFront = (index: IndexOrder) => {
    const names = index.columns.map(({ column }) => column.name)
    const end = names.findIndex((name) => !given.has(name))
    return end === -1 ? names : names.slice(0, end)
  }
  const orders = plan.relation.indexOrders.filter((index) => plan.join.every(({ inner }) => inFront(index).includes(inner.name)))
  return { orders, given }
}

/** The columns of which all rows have one value. */
function givenColumns({ join, where }: CollectionPlan): ReadonlySet<string> {
  const equal = termsOf(where).flatMap((term) => (term.kind === 'compare' && term.operator === '=' ? [term.column.name] : []))
  return new Set([...join.map(({ inner }) => inner.name), ...equal])
}

/** What all holds of a row that a filter lets through. */
const termsOf = (where: Predicate): readonly Predicate[] => (where.kind === 'and' ? where.terms.flatMap(termsOf) : [where])
