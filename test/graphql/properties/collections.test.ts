import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { type GraphqlOn, graphqlOn } from '../graphql-on.ts'
import { answerOf, conditionsOf, documentOf, type Row, rowsInOrder } from './answers.ts'
import { BOOK, buildLibrary, TABLES, type Table } from './library.ts'
import { filterOf, orderOf, type Question, questions } from './questions.ts'

const RUNS = process.env.TEST_HEAVY ? 2_000 : 120

let database: FreshDatabase
let graphql: GraphqlOn
let client: pg.Client
beforeAll(async () => {
  database = await freshDatabase('questions')
  await buildLibrary(database.url)
  graphql = graphqlOn(database.url)
  client = await database.connect()
  await client.query('set extra_float_digits = 1')
})
afterAll(async () => {
  await graphql.end()
  await database.drop()
})

/** jsonb knows no -0, which our answer may hold. */
const withoutMinusZero = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** In a counterexample the document says it all. */
const shown = (question: Question): Question =>
  Object.assign(question, { [fc.toStringMethod]: () => documentOf(question, (place) => `cursor of ${place}`) })

describe('a question', () => {
  test('in GraphQL is answered as it is in SQL: rows, order, pages, counts, cursors, nesting', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(questions.map(shown), async (question) => {
        const all = await rowsInOrder(client, question.table, conditionsOf(question), question.order)
        const { paging } = question
        // nothing to go on from: ask for the first page instead
        const asked =
          all.length > 0
            ? question
            : {
                ...question,
                paging: paging.from === 'start' ? { ...paging, after: null } : { ...paging, last: paging.last ?? 1, before: null },
              }
        const document = documentOf(asked, (place) => all[Math.min(place, all.length - 1)]?.cursor ?? null)
        const answer = await graphql.ask(document)
        expect(withoutMinusZero(answer), document).toEqual({
          data: { [`${question.table.name}Collection`]: withoutMinusZero(await answerOf(client, asked)) },
        })
      }),
      { numRuns: RUNS },
    )
  })
})

describe('aggregates', () => {
  test('are those of SQL over every row that the filter lets through', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.option(filterOf(BOOK), { nil: null, freq: 9 }), fc.integer({ min: 0, max: 3 }), async (filter, first) => {
        const document = `{ c: bookCollection(first: ${first}${filter ? `, filter: ${filter.graphql}` : ''}) {
          aggregate { count sum { pages sold edition } avg { pages edition } min { code day pages price } max { code printed_at edition } } }
          together: bookCollection(first: ${first}${filter ? `, filter: ${filter.graphql}` : ''}) {
            totalCount aggregate { count sum { pages } } edges { __typename } again: aggregate { max { edition } } } }`
        const { rows } = await client.query(
          `select json_build_object('count', count(*),
             'sum', json_build_object('pages', sum(pages), 'sold', sum(sold), 'edition', sum(edition)),
             'avg', json_build_object('pages', avg(pages::numeric), 'edition', avg(edition::numeric)),
             'min', json_build_object('code', min(code), 'day', min(day), 'pages', min(pages), 'price', min(price)),
             'max', json_build_object('code', max(code), 'printed_at', max(printed_at), 'edition', max(edition)))::text as answer
           from book r where ${filter ? filter.sql('r') : 'true'}`,
        )
        const { count, sum, max, ...others } = JSON.parse(rows[0].answer)
        const together = {
          totalCount: count,
          aggregate: { count, sum: { pages: sum.pages } },
          edges: Array(Math.min(first, count)).fill({ __typename: 'bookEdge' }),
          again: { max: { edition: max.edition } },
        }
        expect(await graphql.ask(document), document).toEqual({ data: { c: { aggregate: { count, sum, max, ...others } }, together } })
      }),
      { numRuns: RUNS },
    )
  })
})

describe('paging by cursors', () => {
  const walks = fc.constantFrom(...Object.values(TABLES)).chain((table: Table) =>
    fc.record({
      table: fc.constant(table),
      order: orderOf(table),
      filter: fc.option(filterOf(table), { nil: null, freq: 2 }),
      size: fc.integer({ min: 1, max: 30 }),
    }),
  )

  test.each(['forward', 'backward'] as const)(
    '%s yields each row exactly once, in order, whatever the order',
    { timeout: 300_000 },
    async (way) => {
      await fc.assert(
        fc.asyncProperty(walks, async ({ table, order, filter, size }) => {
          const all = await rowsInOrder(client, table, filter ? filter.sql('r') : 'true', order)
          const given = [
            ...(filter ? [`filter: ${filter.graphql}`] : []),
            ...(order.length > 0
              ? [`orderBy: [${order.map(({ column, direction }) => `{ ${column.name}: ${direction} }`).join(', ')}]`]
              : []),
          ]
          const key = table.key.map((name) => name).join(' ')
          const document = (cursor: string | null) => {
            const paged =
              way === 'forward'
                ? `first: ${size}${cursor === null ? '' : `, after: "${cursor}"`}`
                : `last: ${size}${cursor === null ? '' : `, before: "${cursor}"`}`
            return `{ c: ${table.name}Collection(${[...given, paged].join(', ')}) { edges { cursor node { ${key} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
          }
          const seen: string[][] = []
          let cursor: string | null = null
          for (let pages = 0; ; pages++) {
            expect(pages).toBeLessThanOrEqual(all.length)
            const { data, errors } = (await graphql.ask(document(cursor))) as Walked
            expect(errors).toBe(undefined)
            const { edges, pageInfo } = data.c
            seen.push(edges.map((edge) => edge.cursor))
            if (all.length > 0) expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0]?.cursor, edges.at(-1)?.cursor])
            const more = way === 'forward' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage
            const behind = way === 'forward' ? pageInfo.hasPreviousPage : pageInfo.hasNextPage
            expect(behind).toBe(pages > 0)
            cursor = way === 'forward' ? pageInfo.endCursor : pageInfo.startCursor
            if (!more) break
          }
          const walked = (way === 'forward' ? seen : seen.reverse()).flat()
          expect(walked).toEqual(all.map((row: Row) => row.cursor))
        }),
        { numRuns: RUNS },
      )
    },
  )
})

type Walked = {
  readonly errors?: unknown
  readonly data: {
    readonly c: {
      readonly edges: readonly { readonly cursor: string }[]
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly hasPreviousPage: boolean
        readonly startCursor: string | null
        readonly endCursor: string | null
      }
    }
  }
}
