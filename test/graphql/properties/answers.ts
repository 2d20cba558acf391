import type pg from 'pg'
import { MAX_ROWS, type Table } from './library.ts'
import { type Condition, DIRECTIONS, type OrderTerm, type Question, tableOf } from './questions.ts'

export type Row = { readonly key: string; readonly cursor: string; readonly fields: Readonly<Record<string, unknown>> }

/** All rows of a list in their order, by a query that knows nothing of pages. */
export async function rowsInOrder(
  client: pg.Client,
  table: Table,
  condition: string,
  order: readonly OrderTerm[],
): Promise<readonly Row[]> {
  const full = [
    ...order.map(({ column, direction }) => ({ name: column.name, words: DIRECTIONS[direction] as string })),
    ...table.key.map((name) => ({ name, words: 'asc nulls last' })),
  ]
  const { rows } = await client.query<{ key: string; cursor: string; fields: Record<string, unknown> }>(
    `select jsonb_build_array(${table.key.map((name) => `r.${name}`).join(', ')})::text as key,
       replace(encode(convert_to(jsonb_build_array(${full.map(({ name }) => `r.${name}`).join(', ')})::text, 'utf8'), 'base64'), chr(10), '') as cursor,
       json_build_object(${table.columns.map(({ name, json }) => `'${name}', ${json(`r.${name}`)}`).join(', ')}) as fields
     from ${table.name} r
     where ${condition}
     order by ${full.map(({ name, words }) => `r.${name} ${words}`).join(', ')}`,
  )
  return rows
}

const conditionOf = (filter: Condition | null, join: string): string => `(${join}) and (${filter ? filter.sql('r') : 'true'})`

const literal = (value: unknown): string =>
  value === null ? 'null' : typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** `true`, or which rows belong to the row around. */
const joined = (on: readonly (readonly [own: string, other: string])[], parent: Row | null): string =>
  parent ? on.map(([own, other]) => `r.${other} = ${literal(parent.fields[own])}`).join(' and ') : 'true'

/** What the answer must be, worked out row by row and page by page from ordered lists. */
export async function answerOf(client: pg.Client, question: Question, join = 'true'): Promise<Record<string, unknown>> {
  const { table } = question
  const all = await rowsInOrder(client, table, conditionOf(question.filter, join), question.order)
  const { page, hasNextPage, hasPreviousPage } = pageOf(all, question)
  const edges = []
  for (const row of page) {
    const node: Record<string, unknown> = {}
    for (const { name } of question.columns) node[name] = row.fields[name]
    for (const { relation, columns } of question.parents) {
      const [parent] = await rowsInOrder(client, tableOf(relation.table), joined(relation.on, row), [])
      node[relation.field] = parent ? Object.fromEntries(columns.map(({ name }) => [name, parent.fields[name]])) : null
    }
    for (const { alias, relation, question: inner } of question.nested)
      node[alias] = await answerOf(client, inner, joined(relation.on, row))
    edges.push({ ...(question.cursors ? { cursor: row.cursor } : {}), node })
  }
  return {
    ...(question.totalCount ? { totalCount: all.length } : {}),
    edges,
    ...(question.pageInfo
      ? { pageInfo: { hasNextPage, hasPreviousPage, startCursor: page[0]?.cursor ?? null, endCursor: page.at(-1)?.cursor ?? null } }
      : {}),
  }
}

/** The page of a list. A cursor beyond the list's end names its last row. */
function pageOf(all: readonly Row[], { paging }: Question): { page: readonly Row[]; hasNextPage: boolean; hasPreviousPage: boolean } {
  if (paging.from === 'start') {
    const rows = Math.min(paging.first ?? MAX_ROWS, MAX_ROWS)
    const begin = (paging.after === null ? 0 : positionOf(all, paging.after) + 1) + (paging.offset ?? 0)
    const page = all.slice(begin, begin + rows)
    return {
      page,
      hasNextPage: all.length > begin + rows && (page.length > 0 || rows === 0),
      hasPreviousPage: page.length > 0 && page[0] !== all[0],
    }
  }
  const rows = Math.min(paging.last ?? MAX_ROWS, MAX_ROWS)
  const end = paging.before === null ? all.length : positionOf(all, paging.before)
  const page = all.slice(Math.max(0, end - rows), end)
  return { page, hasNextPage: page.length > 0 && page.at(-1) !== all.at(-1), hasPreviousPage: end > rows }
}

export const positionOf = (all: readonly Row[], place: number): number => Math.min(place, all.length - 1)

/** The question in GraphQL. `cursor` gives the cursor of a place in the list; null: the list is empty, ask without. */
export function documentOf(question: Question, cursor: (place: number) => string | null): string {
  return `{ ${question.table.name}Collection${selection(question, cursor)} }`
}

function selection(question: Question, cursor: (place: number) => string | null): string {
  const { filter, order, paging } = question
  const args: string[] = []
  if (filter) args.push(`filter: ${filter.graphql}`)
  if (order.length > 0) args.push(`orderBy: [${order.map(({ column, direction }) => `{ ${column.name}: ${direction} }`).join(', ')}]`)
  if (paging.from === 'start') {
    if (paging.first !== null) args.push(`first: ${paging.first}`)
    if (paging.offset !== null) args.push(`offset: ${paging.offset}`)
    if (paging.after !== null) args.push(`after: ${JSON.stringify(cursor(paging.after))}`)
  } else {
    if (paging.last !== null) args.push(`last: ${paging.last}`)
    if (paging.before !== null) args.push(`before: ${JSON.stringify(cursor(paging.before))}`)
  }
  const node = [
    ...question.columns.map(({ name }) => name),
    ...question.parents.map(({ relation, columns }) => `${relation.field} { ${columns.map(({ name }) => name).join(' ')} }`),
    ...question.nested.map(({ alias, relation, question: inner }) => `${alias}: ${relation.field}${selection(inner, cursor)}`),
  ]
  return `${args.length > 0 ? `(${args.join(', ')})` : ''} { ${[
    ...(question.totalCount ? ['totalCount'] : []),
    `edges { ${question.cursors ? 'cursor ' : ''}node { ${node.join(' ')} } }`,
    ...(question.pageInfo ? ['pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'] : []),
  ].join(' ')} }`
}

export const conditionsOf = (question: Question): string => conditionOf(question.filter, 'true')
