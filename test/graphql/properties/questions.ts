import fc from 'fast-check'
import { AUTHOR, BOOK, type Column, LOAN, TABLES, type Table } from './library.ts'

/** A filter, as GraphQL writes it and as SQL asks it: two texts made side by side from one choice. */
export type Condition = { readonly graphql: string; readonly sql: (row: string) => string }

export type OrderTerm = { readonly column: Column; readonly direction: keyof typeof DIRECTIONS }

export type Paging =
  | { readonly from: 'start'; readonly first: number | null; readonly offset: number | null; readonly after: number | null }
  | { readonly from: 'end'; readonly last: number | null; readonly before: number | null }

export type Question = {
  readonly table: Table
  readonly filter: Condition | null
  readonly order: readonly OrderTerm[]
  readonly paging: Paging
  /** which columns are shown */
  readonly columns: readonly Column[]
  readonly pageInfo: boolean
  readonly totalCount: boolean
  readonly cursors: boolean
  readonly nested: readonly { readonly alias: string; readonly relation: Table['toMany'][number]; readonly question: Question }[]
  readonly parents: readonly { readonly relation: Table['toOne'][number]; readonly columns: readonly Column[] }[]
}

export const DIRECTIONS = {
  AscNullsFirst: 'asc nulls first',
  AscNullsLast: 'asc nulls last',
  DescNullsFirst: 'desc nulls first',
  DescNullsLast: 'desc nulls last',
} as const

const quote = (text: string) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const COMPARED: Readonly<Record<string, string>> = { eq: '=', neq: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' }

function operatorsOf(column: Column): readonly string[] {
  switch (column.kind) {
    case 'list':
      return ['eq', 'contains', 'containedBy', 'overlaps', 'is']
    case 'boolean':
      return ['eq', 'is']
    case 'enum':
    case 'uuid':
      return ['eq', 'neq', 'in', 'is']
    case 'text':
      return ['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'is', 'startsWith', 'like', 'ilike', 'regex', 'iregex']
    default:
      return ['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'is']
  }
}

const PATTERNS = ['%', 'a%', '_', 'x_y', 'x\\_y', 'x\\%y', '%m', 'K%', '']
const REGEXES = ['^a', 'i', '.', '^$', '[A-Z]', 'x.y', 'k|l']

/** One operator and its operand. */
const comparison = (column: Column): fc.Arbitrary<Condition> =>
  fc.constantFrom(...operatorsOf(column)).chain((operator) => {
    const sample = fc.constantFrom(...column.samples)
    const of = (row: string) => `${row}.${column.name}`
    const typed = (text: string) => `${quote(text)}::${column.type}`
    const one = (sql: (row: string, operand: string) => string) =>
      sample.map(([graphql, text]): Condition => ({ graphql: `${operator}: ${graphql}`, sql: (row) => sql(of(row), text) }))
    const pattern = (patterns: readonly string[], sql: (reference: string, operand: string) => string) =>
      fc
        .constantFrom(...patterns)
        .map((text): Condition => ({ graphql: `${operator}: ${JSON.stringify(text)}`, sql: (row) => sql(of(row), quote(text)) }))
    switch (operator) {
      case 'is':
        return fc.constantFrom<Condition>(
          { graphql: 'is: NULL', sql: (row) => `${of(row)} is null` },
          { graphql: 'is: NOT_NULL', sql: (row) => `${of(row)} is not null` },
        )
      case 'in':
        return fc.array(sample, { maxLength: 3 }).map(
          (samples): Condition => ({
            graphql: `in: [${samples.map(([graphql]) => graphql).join(', ')}]`,
            // an empty list lets nobody through, and is unknown of nobody
            sql: (row) => (samples.length === 0 ? 'false' : `(${samples.map(([, text]) => `${of(row)} = ${typed(text)}`).join(' or ')})`),
          }),
        )
      case 'startsWith':
        return one((reference, text) => `left(${reference}::text, length(${quote(text)})) = ${quote(text)}`)
      case 'like':
        return pattern(PATTERNS, (reference, text) => `${reference}::text like ${text}`)
      case 'ilike':
        return pattern(PATTERNS, (reference, text) => `lower(${reference}::text) like lower(${text})`)
      case 'regex':
        return pattern(REGEXES, (reference, text) => `regexp_count(${reference}::text, ${text}) > 0`)
      case 'iregex':
        return pattern(REGEXES, (reference, text) => `regexp_count(${reference}::text, ${text}, 1, 'i') > 0`)
      case 'contains':
        return one((reference, text) => `${reference} @> ${typed(text)}`)
      case 'containedBy':
        return one((reference, text) => `${typed(text)} @> ${reference}`)
      case 'overlaps':
        return one((reference, text) => `${reference} && ${typed(text)}`)
      default:
        return one((reference, text) => `${reference} ${COMPARED[operator]} ${typed(text)}`)
    }
  })

/** `name: {operator: operand, …}`, each operator once. */
const columnCondition = (table: Table): fc.Arbitrary<readonly [key: string, Condition]> =>
  fc.constantFrom(...table.columns).chain((column) =>
    fc
      .uniqueArray(comparison(column), { minLength: 1, maxLength: 2, selector: ({ graphql }) => graphql.split(':', 1)[0] })
      .map((conditions): readonly [string, Condition] => [
        column.name,
        {
          graphql: `${column.name}: { ${conditions.map(({ graphql }) => graphql).join(', ')} }`,
          sql: (row) => conditions.map(({ sql }) => `(${sql(row)})`).join(' and '),
        },
      ]),
  )

/** The members of one filter object: all of them hold. */
const members = (table: Table, depth: number): fc.Arbitrary<Condition> => {
  const entries: fc.Arbitrary<readonly [string, Condition]>[] = [columnCondition(table), columnCondition(table)]
  if (depth > 0) {
    const inner = members(table, depth - 1)
    const list = fc.array(inner, { minLength: 1, maxLength: 3 })
    for (const word of ['and', 'or'] as const) {
      entries.push(
        list.map((conditions): readonly [string, Condition] => [
          word,
          {
            graphql: `${word}: [${conditions.map(({ graphql }) => `{ ${graphql} }`).join(', ')}]`,
            sql: (row) => conditions.map(({ sql }) => `(${sql(row)})`).join(` ${word} `),
          },
        ]),
      )
    }
    entries.push(
      inner.map(({ graphql, sql }): readonly [string, Condition] => [
        'not',
        { graphql: `not: { ${graphql} }`, sql: (row) => `not (${sql(row)})` },
      ]),
    )
  }
  return fc.uniqueArray(fc.oneof(...entries), { minLength: 1, maxLength: 3, selector: ([key]) => key }).map(
    (chosen): Condition => ({
      graphql: chosen.map(([, { graphql }]) => graphql).join(', '),
      sql: (row) => chosen.map(([, { sql }]) => `(${sql(row)})`).join(' and '),
    }),
  )
}

export const filterOf = (table: Table): fc.Arbitrary<Condition> =>
  members(table, 2).map(({ graphql, sql }): Condition => ({ graphql: `{ ${graphql} }`, sql }))

export const orderOf = (table: Table): fc.Arbitrary<readonly OrderTerm[]> =>
  fc.array(
    fc.record({
      column: fc.constantFrom(...table.columns.filter(({ kind }) => kind !== 'list')),
      direction: fc.constantFrom(...(Object.keys(DIRECTIONS) as (keyof typeof DIRECTIONS)[])),
    }),
    { maxLength: 3 },
  )

const count = fc.oneof(fc.integer({ min: 0, max: 8 }), fc.constantFrom(25, 26, 100, 2147483647))
const place = fc.integer({ min: 0, max: 70 })

const paging: fc.Arbitrary<Paging> = fc.oneof(
  fc.record({ from: fc.constant('start' as const), first: fc.option(count), offset: fc.option(place), after: fc.option(place) }),
  fc
    .record({ from: fc.constant('end' as const), last: fc.option(count), before: fc.option(place) })
    .filter(({ last, before }) => last !== null || before !== null),
)

const question = (table: Table, depth: number): fc.Arbitrary<Question> =>
  fc.record({
    table: fc.constant(table),
    filter: fc.option(filterOf(table), { nil: null }),
    order: orderOf(table),
    // a cursor names a row of one list; the lists below a row are many
    paging:
      depth === DEPTH
        ? paging
        : paging.map((page) => (page.from === 'start' ? { ...page, after: null } : { ...page, last: page.last ?? 3, before: null })),
    columns: fc.subarray([...table.columns], { minLength: 1 }),
    pageInfo: fc.boolean(),
    totalCount: fc.boolean(),
    cursors: fc.boolean(),
    nested:
      depth === 0 || table.toMany.length === 0
        ? fc.constant([])
        : fc
            .array(
              fc
                .constantFrom(...table.toMany)
                .chain((relation) => question(tableOf(relation.table), depth - 1).map((inner) => ({ relation, question: inner }))),
              { maxLength: 2 },
            )
            .map((all) => all.map((one, i) => ({ ...one, alias: `n${i}` }))),
    parents:
      table.toOne.length === 0
        ? fc.constant([])
        : fc.option(
            fc
              .constantFrom(...table.toOne)
              .chain((relation) =>
                fc.subarray([...tableOf(relation.table).columns], { minLength: 1 }).map((columns) => [{ relation, columns }]),
              ),
            { nil: [] },
          ),
  })

export const tableOf = (name: string): Table => {
  const table = TABLES[name]
  if (!table) throw new Error(`no table ${name}`)
  return table
}

const DEPTH = 2

export const questions: fc.Arbitrary<Question> = fc.constantFrom(AUTHOR, BOOK, LOAN).chain((table) => question(table, DEPTH))
