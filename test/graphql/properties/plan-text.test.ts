import fc from 'fast-check'
import { parseValue, valueFromASTUntyped } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonFrom } from '../../../src/graphql/operation/read-json.ts'
import { printPlan } from '../../../src/graphql/plan/print-plan.ts'
import { planRequest } from '../../../src/graphql/prepare.ts'
import type { RoleSchema } from '../../../src/graphql/schema/role-schema.ts'
import { compileOperation } from '../../../src/graphql/sql/compile-operation.ts'
import { roleName } from '../../../src/std/brand.ts'
import { atOnce } from '../../../src/std/in-turns.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { type GraphqlOn, graphqlOn } from '../graphql-on.ts'
import { documentOf } from './answers.ts'
import { buildLibrary } from './library.ts'
import { type Question, questions } from './questions.ts'

const RUNS = process.env.TEST_HEAVY ? 2_000 : 200

let database: FreshDatabase
let graphql: GraphqlOn
let schema: RoleSchema
beforeAll(async () => {
  database = await freshDatabase('plan_text')
  await buildLibrary(database.url)
  graphql = graphqlOn(database.url)
  schema = await graphql.deps.schemaOf(await graphql.deps.catalog.current(), roleName('anon'))
})
afterAll(async () => {
  await graphql.end()
  await database.drop()
})

function compiled(query: string, variables: unknown = {}): { readonly plan: string; readonly sql: readonly string[] } {
  const { planned } = atOnce(planRequest(graphql.deps, schema, { query, variables: jsonFrom(variables), operationName: null }))
  expect(planned.errors).toEqual([])
  return {
    plan: printPlan(planned.kind, planned.roots),
    sql: compileOperation(planned.kind, planned.roots, graphql.deps.limits.responseBytes).statements.map(({ text }) => text),
  }
}

/** A cursor with one value, which every order can begin with. */
const CURSOR = Buffer.from('[1]').toString('base64')

/** The same question with everything that can be a variable as one. */
function withVariables(document: string): { readonly query: string; readonly variables: Record<string, unknown> } {
  const variables: Record<string, unknown> = {}
  const argument = /\b(filter|orderBy|after|before|offset|first|last): /g
  let query = ''
  let from = 0
  for (let found = argument.exec(document); found; found = argument.exec(document)) {
    const begin = found.index + found[0].length
    if (begin < from) continue
    const end = endOfValue(document, begin)
    const name = `v${Object.keys(variables).length}`
    variables[name] = valueFromASTUntyped(parseValue(document.slice(begin, end)))
    query += `${document.slice(from, begin)}$${name}`
    from = end
    argument.lastIndex = end
  }
  return { query: query + document.slice(from), variables }
}

/** Where a literal ends: brackets are counted, strings passed over. */
function endOfValue(text: string, begin: number): number {
  let depth = 0
  for (let i = begin; i < text.length; i++) {
    const character = text[i] ?? ''
    if (character === '"') {
      i++
      while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1
    } else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (depth === 0 && (character === ',' || character === ')')) return i
    if (depth === 0 && (character === '}' || character === ']')) return i + 1
  }
  return text.length
}

const shown = (question: Question): Question => Object.assign(question, { [fc.toStringMethod]: () => documentOf(question, () => CURSOR) })

describe('SQL', () => {
  test('is the same text for the same plan: said twice, with variables, in fragments, with directives', { timeout: 120_000 }, async () => {
    fc.assert(
      fc.property(questions.map(shown), (question) => {
        const document = documentOf(question, () => CURSOR)
        const once = compiled(document)
        expect(compiled(`# said again\n${document}`)).toEqual(once)
        const { query, variables } = withVariables(document)
        expect(compiled(`query Asked ${query}`, variables)).toEqual(once)
        const root = document.slice(1, -1)
        expect(
          compiled(
            `query ($yes: Boolean) { ...all @include(if: $yes) } fragment all on Query { ...inner ${root} } fragment inner on Query { ${root} }`,
            { yes: true },
          ),
        ).toEqual(once)
      }),
      { numRuns: RUNS },
    )
  })

  test('is another text for another plan', { timeout: 120_000 }, async () => {
    const seen = new Map<string, string>()
    fc.assert(
      fc.property(questions.map(shown), (question) => {
        const { plan, sql } = compiled(documentOf(question, () => CURSOR))
        const [text = ''] = sql
        // what is never asked of the database (a page without edges) may be left out of the text
        if (question.totalCount || question.columns.length > 0) expect(seen.get(text) ?? plan).toBe(plan)
        seen.set(text, plan)
      }),
      { numRuns: RUNS },
    )
  })

  test('holds no value of the caller’s: hostile operands change the values alone', () => {
    const text = (value: string) =>
      compiled('query ($v: String) { authorCollection(filter: { name: { eq: $v } }) { edges { node { id } } } }', { v: value }).sql
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary-ascii' }).filter((value) => !value.includes('\0')),
        (value) => {
          expect(text(value)).toEqual(text('plain'))
          expect(
            compiled(`{ authorCollection(filter: { name: { eq: ${JSON.stringify(value)} } }) { edges { node { id } } } }`).sql,
          ).toEqual(text('plain'))
        },
      ),
      { numRuns: RUNS },
    )
  })

  test('numbers its aliases anew in each statement', () => {
    const both = compiled(
      'mutation { a: updateauthorCollection(set: { name: "x" }) { records { id bookCollection { edges { node { code } } } } } b: updateauthorCollection(set: { name: "x" }) { records { id bookCollection { edges { node { code } } } } } }',
    )
    expect(both.sql[0]).toBe(both.sql[1])
  })
})
