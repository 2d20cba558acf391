import type { Column } from '../../catalog/model.ts'
import { constant, ident, join, nothing, param, type Sql, sql } from '../../sqltext/sql.ts'
import { assertNever } from '../../std/assert-never.ts'
import type { CollectionPlan, ConnectionField, CursorValue, EdgeField, PageInfoField } from '../plan/plan.ts'
import type { Compilation } from './compilation.ts'
import { type Counts, compileAggregates, countsOf } from './compile-aggregate.ts'
import { cursorText, keyText } from './compile-keys.ts'
import { compileKeyset } from './compile-keyset.ts'
import { compileNode } from './compile-node.ts'
import { readingOrder } from './compile-order.ts'
import { compileEveryRow, compilePage, isSorted, type Rows } from './compile-page.ts'
import { compileSource } from './compile-source.ts'
import { concatenation, type JsonText, jsonObject } from './json-text.ts'
import { createRow, nameBeside, type Row } from './row.ts'

/**
 * A connection as one JSON text: the page is read, cut and ordered in a subselect; around it the rows are made to JSON in the order
 * of arrival. What nobody selected is not in the SQL: no count, no extra row, no cursors.
 */
export function compileCollection(plan: CollectionPlan, outer: Row | null, compilation: Compilation): Sql {
  const { source } = plan
  if (source.kind !== 'function' || !source.once)
    return sql`(${compileConnection(plan, compileSource(source, outer), outer, [], compilation)})`
  const kept = ident(compilation.nextAlias())
  const rows = sql`${kept} as materialized (select ${ident('f')}.* from ${compileSource(source, outer)} ${ident('f')})`
  return sql`(${compileConnection(plan, kept, outer, [rows], compilation)})`
}

type Scope = {
  readonly plan: CollectionPlan
  readonly compilation: Compilation
  /** the row of the page */
  readonly row: Row
  /** number of the row among those read, in reading order; asked for only when needed */
  readonly position: () => Sql
  /** how many were read; the same */
  readonly read: () => Sql
  /** the collection again, outside the page */
  readonly counts: Counts
  /** its first row in reading order, on whatever page that is: cheap where an index has it */
  readonly firstRow: (select: (row: Row) => Sql) => Sql
  /** whether it has any row that is not beyond the cursor: cheap without an index, since any will do */
  readonly anyRowUpTo: (cursor: readonly CursorValue[]) => Sql
}

/** @param tables common table expressions that `from` names */
function compileConnection(plan: CollectionPlan, from: Sql, outer: Row | null, tables: readonly Sql[], compilation: Compilation): Sql {
  const rows: Rows = { plan, from, outer, compilation }
  const alias = compilation.nextAlias()
  const isTrusted = plan.source.kind === 'relation'
  const row = createRow(alias, plan.relation, isTrusted)
  const windows = new Map<string, Sql>()
  const beside = (name: string, window: string): Sql => {
    const free = nameBeside(plan.relation, name)
    windows.set(free, constant(window))
    return ident(alias, free)
  }
  const scope: Scope = {
    plan,
    compilation,
    row,
    position: () => beside('(position)', 'row_number() over ()'),
    read: () => beside('(read)', 'count(*) over ()'),
    counts: countsOf(rows),
    firstRow: (select) => {
      const other = compilation.nextAlias()
      const first = createRow(other, plan.relation, isTrusted)
      const selected = select(first)
      return sql`(select ${selected} from ${compilePage(rows, other, first, { limit: 1, cursor: null, offset: null })} ${ident(other)})`
    },
    anyRowUpTo: (cursor) => {
      const order = readingOrder(plan.order, plan.page.from)
      const isUpTo = (column: (column: Column) => Sql) => [sql`(${compileKeyset(order, cursor, column)}) is not true`]
      return sql`exists (${compileEveryRow(rows, () => nothing, isUpTo)})`
    },
  }
  const json = concatenation(jsonObject(plan.select.map((field) => ({ key: field.key, value: compileField(scope, field) }))))
  const named = [...tables, ...scope.counts.together()]
  const start = named.length > 0 ? sql`with ${join(named, ', ')} ` : nothing
  if (!readsPage(plan)) return sql`${start}select ${json}`
  const { cursor, offset } = plan.page
  const page = compilePage(rows, alias, row, { limit: plan.page.rows + (peeks(plan) ? 1 : 0), cursor, offset })
  if (windows.size === 0) return sql`${start}select ${json} from ${page} ${ident(alias)}`
  const numbers = Array.from(windows, ([name, window]) => sql`${window} as ${ident(name)}`)
  return sql`${start}select ${json} from (select ${ident(alias)}.*, ${join(numbers, ', ')} from ${page} ${ident(alias)}) ${ident(alias)}`
}

/** Whether anything of the page itself is asked for; what is known without it must not be selected from its rows. */
function readsPage(plan: CollectionPlan): boolean {
  const isKnown = (fact: PageInfoField) => fact.kind === 'literal' || (isBehindFact(plan, fact) && startsAtEdge(plan))
  return plan.select.some((field) => field.kind === 'edges' || (field.kind === 'page info' && !field.fields.every(isKnown)))
}

const isBehindFact = (plan: CollectionPlan, fact: PageInfoField): boolean =>
  fact.kind === (plan.page.from === 'start' ? 'has previous page' : 'has next page')

const startsAtEdge = ({ page }: CollectionPlan): boolean => !page.cursor && !page.offset

const peeks = (plan: CollectionPlan): boolean =>
  plan.select.some((field) => field.kind === 'page info' && field.fields.some(({ kind }) => kind === peekedFact(plan)))

/** Which fact of the page is told by one row more: whether it goes on in reading direction. */
const peekedFact = (plan: CollectionPlan) => (plan.page.from === 'start' ? 'has next page' : 'has previous page')

function compileField(scope: Scope, field: ConnectionField): JsonText {
  switch (field.kind) {
    case 'literal':
      return [field.json]
    case 'edges':
      return ['[', sql`coalesce(${edges(scope, field.fields)}, '')`, ']']
    case 'page info':
      return jsonObject(field.fields.map((fact) => ({ key: fact.key, value: compilePageFact(scope, fact) })))
    case 'total count':
      return [scope.counts.of(() => constant('count(*)::text'))]
    case 'aggregate':
      return compileAggregates(scope.counts, field.fields)
    default:
      return assertNever(field)
  }
}

/** Rows arrive in reading order; read from the end they are turned round. */
function edges(scope: Scope, fields: readonly EdgeField[]): Sql {
  const edge = concatenation(jsonObject(fields.map((field) => ({ key: field.key, value: compileEdgeField(scope, field) }))))
  const order = scope.plan.page.from === 'end' ? sql` order by ${scope.position()} desc` : constant('')
  return sql`string_agg(${edge}, ','${order})${onPage(scope)}`
}

/** Leaves out the row that was read only to know whether there is one. */
const onPage = (scope: Scope): Sql =>
  peeks(scope.plan) ? sql` filter (where ${scope.position()} <= ${constant(String(scope.plan.page.rows))})` : constant('')

function compileEdgeField(scope: Scope, field: EdgeField): JsonText {
  switch (field.kind) {
    case 'literal':
      return [field.json]
    case 'cursor':
      return ['"', cursorOf(scope), '"']
    case 'node':
      return compileNode(field.node, scope.row, scope.compilation)
    default:
      return assertNever(field)
  }
}

const cursorOf = (scope: Scope): Sql =>
  cursorText(
    scope.row,
    scope.plan.order.map(({ column }) => column),
  )

function compilePageFact(scope: Scope, fact: PageInfoField): JsonText {
  const { page } = scope.plan
  const [near, far] = page.from === 'start' ? (['start cursor', 'end cursor'] as const) : (['end cursor', 'start cursor'] as const)
  switch (fact.kind) {
    case 'literal':
      return [fact.json]
    case near:
      return [cursorAt(scope, firstOnPage(scope))]
    case far:
      return [cursorAt(scope, lastOnPage(scope))]
    case peekedFact(scope.plan):
      return [sql`(count(*) > ${constant(String(page.rows))})::text`]
    default:
      return [isBehind(scope)]
  }
}

const cursorAt = (scope: Scope, position: Sql): Sql => sql`coalesce('"' || ${ofRow(scope, position, cursorOf(scope))} || '"', 'null')`

/** A text of one row of the page, worked out for that row alone; null: there is no such row. */
const ofRow = (scope: Scope, position: Sql, text: Sql): Sql => sql`min(${text}) filter (where ${scope.position()} = ${position})`

/** A page of no rows has none, though one was read to know whether there is more. */
const firstOnPage = ({ plan }: Scope): Sql => constant(plan.page.rows === 0 ? '0' : '1')

const lastOnPage = (scope: Scope): Sql =>
  peeks(scope.plan) ? sql`least(${scope.read()}, ${constant(String(scope.plan.page.rows))})` : scope.read()

/** Whether rows lie behind the page. An empty page has none. */
function isBehind(scope: Scope): Sql {
  const { plan, row } = scope
  const { cursor, offset } = plan.page
  if (startsAtEdge(plan) || plan.page.rows === 0) return constant(`'false'`)
  // without a cursor as many rows as were passed over, of which there are as many if the page has any
  const isPassed = offset ? sql`${param(offset)}::int8 > 0` : constant('false')
  if (!cursor) return sql`(count(*) > 0 and ${isPassed})::text`
  if (isSorted(plan)) return sql`(count(*) > 0 and (${isPassed} or ${scope.anyRowUpTo(cursor)}))::text`
  const key = plan.relation.primaryKey
  const first = scope.firstRow((other) => keyText(other, key))
  return sql`coalesce((${ofRow(scope, firstOnPage(scope), keyText(row, key))} <> ${first})::text, 'false')`
}
