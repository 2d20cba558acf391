import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readJson } from '../../../src/graphql/operation/read-json.ts'
import { createPlanCache } from '../../../src/graphql/plan-cache.ts'
import { type ResolveDeps, resolve } from '../../../src/graphql/resolve.ts'
import { roleName } from '../../../src/std/brand.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { type GraphqlOn, graphqlOn } from '../graphql-on.ts'
import { buildLibrary } from './library.ts'

const RUNS = process.env.TEST_HEAVY ? 5_000 : 500

let database: FreshDatabase
let cold: GraphqlOn
let warm: GraphqlOn
beforeAll(async () => {
  database = await freshDatabase('warm_cache')
  await buildLibrary(database.url)
  cold = graphqlOn(database.url, { cold: true, dryRun: true })
  warm = graphqlOn(database.url, { dryRun: true })
})
afterAll(async () => {
  await Promise.all([cold.end(), warm.end()])
  await database.drop()
})

/** JSON as it is sent: numbers in every spelling. */
type Raw = string

const base64 = (text: string): Raw => JSON.stringify(Buffer.from(text).toString('base64'))

const cursors: readonly Raw[] = [
  ...[
    '[1]',
    '["a"]',
    '["a", 1]',
    '[null]',
    '[null, 1]',
    '["a", null]',
    '["b", 2]',
    '[10, "a", 1]',
    '[1, 2, 3, 4, 5]',
    '[]',
    '{}',
    '1',
    '["\\u0000"]',
    '[[1]]',
  ].map(base64),
  '"%%%"',
  '""',
  '"WzFd\\u0000"',
]
const nodeIds: readonly Raw[] = [
  ...[
    '["public", "author", 1]',
    '["public", "author", 2]',
    '["public", "author", 404]',
    '["public", "author", null]',
    '["public", "author", "1"]',
    '["public", "author", 1, 2]',
  ].map(base64),
  ...[
    '["public", "book", "a", 1]',
    '["public", "book", "b", 2]',
    '["public", "nothing", 1]',
    '["other", "author", 1]',
    '["public", "author"]',
    '[1, 2, 3]',
  ].map(base64),
  '"%%%"',
]
const numbers: readonly Raw[] = [
  '0',
  '1',
  '2',
  '3',
  '10',
  '1e0',
  '1e1',
  '1E1',
  '1.0',
  '-1',
  '-0',
  '-0.0',
  '0.5',
  '30',
  '2147483648',
  '9223372036854775807',
  '9223372036854775808',
  '1e400',
  '1e19',
  '12e-1',
]
const texts: readonly Raw[] = [
  '"a"',
  '"b"',
  '""',
  '"Ann"',
  '"1"',
  '"{x,y}"',
  '"out"',
  '"gone"',
  '"NULL"',
  '"NOT_NULL"',
  '"AscNullsFirst"',
  '"AscNullsLast"',
  '"DescNullsFirst"',
  '"author"',
  '"book"',
  '"2026-01-01"',
  '"\\u0000"',
  '"a\\ud800"',
  '"%"',
  '"true"',
  '"99999999999999999999999"',
]
const flat: readonly Raw[] = ['null', 'true', 'false', ...numbers, ...texts]
const nested: readonly Raw[] = [
  '[]',
  '{}',
  '[null]',
  '[1]',
  '["a"]',
  '["a", "b"]',
  '["a", null]',
  '[[1]]',
  '[{}]',
  '[1, 2, 3]',
  '{"eq": 1}',
  '{"eq": "a"}',
  '{"nonsense": 1}',
  '{"id": 1}',
  '{"id": {"eq": 1}}',
  '["\\u0000"]',
  '{"eq": "\\u0000"}',
  '{"\\u0000": 1}',
]

const flatRaw = fc.constantFrom(...flat)
const anyRaw: fc.Arbitrary<Raw> = fc.oneof(
  { weight: 3, arbitrary: flatRaw },
  { weight: 1, arbitrary: fc.constantFrom(...nested, ...cursors, ...nodeIds) },
)
const object = (members: fc.Arbitrary<readonly (readonly [string, Raw])[]>): fc.Arbitrary<Raw> =>
  members.map((entries) => `{${entries.map(([name, raw]) => `${JSON.stringify(name)}: ${raw}`).join(', ')}}`)
const list = (item: fc.Arbitrary<Raw>): fc.Arbitrary<Raw> => fc.array(item, { maxLength: 3 }).map((items) => `[${items.join(', ')}]`)
const some = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> => fc.array(item, { maxLength: 3 })

const bookFilter: fc.Arbitrary<Raw> = fc.letrec<{ filter: Raw; entry: readonly [string, Raw] }>((tie) => ({
  filter: object(some(tie('entry'))),
  entry: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<readonly [string, Raw]>(
      ['pages', '{"eq": 10}'],
      ['pages', '{"eq": null}'],
      ['pages', 'null'],
      ['code', '{"in": ["a", "b"]}'],
      ['tags', '{"contains": "x"}'],
      ['state', '{"eq": "out"}'],
      ['nodeId', `{"eq": ${nodeIds[6] ?? ''}}`],
    ),
    fc.tuple(
      fc.constantFrom('pages', 'edition', 'author_id'),
      fc.constantFrom('{"gt": 1}', '{"is": "NULL"}', '{"in": []}', '{"lt": "x"}', '{}'),
    ),
    fc.tuple(
      fc.constantFrom('and', 'or'),
      fc.array(tie('filter'), { maxLength: 2 }).map((filters) => `[${filters.join(', ')}]`),
    ),
    fc.tuple(fc.constant('not'), tie('filter')),
  ),
})).filter

const author: fc.Arbitrary<Raw> = object(
  some(
    fc.tuple(
      fc.constantFrom('id', 'name', 'active', 'score', 'nonsense'),
      fc.constantFrom('101', '102', '1', '"n"', 'null', 'true', '0.5', '"\\u0000"'),
    ),
  ),
)

const fitting: Readonly<Record<string, fc.Arbitrary<Raw>>> = {
  int: fc.constantFrom(...numbers),
  text: fc.constantFrom(...texts),
  boolean: fc.constantFrom('true', 'false'),
  is: fc.constantFrom('"NULL"', '"NOT_NULL"'),
  direction: fc.constantFrom('"AscNullsFirst"', '"AscNullsLast"', '"DescNullsFirst"', '"DescNullsLast"'),
  cursor: fc.constantFrom(...cursors),
  nodeId: fc.constantFrom(...nodeIds),
  texts: list(fc.constantFrom(...texts, 'null')),
  ints: list(fc.constantFrom(...numbers, 'null')),
  intFilter: object(
    some(
      fc.tuple(
        fc.constantFrom('eq', 'neq', 'lt', 'gte', 'is', 'in'),
        fc.oneof(fc.constantFrom(...numbers, '"NULL"', 'null'), list(fc.constantFrom(...numbers))),
      ),
    ),
  ),
  textFilter: object(
    some(
      fc.tuple(
        fc.constantFrom('eq', 'neq', 'like', 'is', 'in', 'iregex', 'startsWith'),
        fc.oneof(fc.constantFrom(...texts, 'null'), list(fc.constantFrom(...texts))),
      ),
    ),
  ),
  bookFilter,
  bookFilters: list(bookFilter),
  orders: list(
    object(
      some(
        fc.tuple(
          fc.constantFrom('pages', 'code', 'day', 'price', 'nonsense'),
          fc.constantFrom('"AscNullsFirst"', '"AscNullsLast"', '"DescNullsLast"', '"x"', 'null'),
        ),
      ),
    ),
  ),
  author,
  authors: list(author),
  authorFilter: object(
    some(
      fc.constantFrom<readonly [string, Raw]>(
        ['id', '{"eq": 1}'],
        ['id', '{"in": [1, 2]}'],
        ['name', '{"is": "NULL"}'],
        ['name', '{"eq": "Ann"}'],
        ['id', 'null'],
        ['nonsense', '{}'],
      ),
    ),
  ),
  day: fc.constantFrom('"2026-01-01"', '"infinity"', '"2026-02-30"'),
  uuid: fc.constantFrom('"00000000-0000-4000-8000-000000000001"', '"x"'),
  state: fc.constantFrom('"out"', '"gone"', '"lost"'),
  amount: fc.constantFrom('"10"', '"1e3"', '"NaN"', '10', '1e1', '"ten"'),
}

type Kind = keyof typeof fitting & string
type Document = { readonly query: string; readonly variables: Readonly<Record<string, Kind>> }

const books = '{ edges { cursor node { code edition pages } } pageInfo { hasNextPage hasPreviousPage endCursor } }'
const DOCUMENTS: readonly Document[] = [
  { query: `query ($i: FilterIs) { bookCollection(filter: { pages: { is: $i } }) { totalCount } }`, variables: { i: 'is' } },
  { query: `query ($f: bookFilter) { bookCollection(filter: $f, first: 5) ${books} }`, variables: { f: 'bookFilter' } },
  {
    query: `query ($f: bookFilter, $g: bookFilter) { bookCollection(filter: { or: [$f, { not: $g }] }) { totalCount } }`,
    variables: { f: 'bookFilter', g: 'bookFilter' },
  },
  { query: `query ($l: [bookFilter!]) { bookCollection(filter: { and: $l, or: $l }) { totalCount } }`, variables: { l: 'bookFilters' } },
  {
    query: `query ($p: IntFilter, $c: StringFilter) { bookCollection(filter: { pages: $p, code: $c }) { totalCount } }`,
    variables: { p: 'intFilter', c: 'textFilter' },
  },
  {
    query: `query ($a: Int, $b: String, $i: FilterIs) { bookCollection(filter: { pages: { gte: $a, is: $i }, code: { like: $b, startsWith: $b } }) { totalCount } }`,
    variables: { a: 'int', b: 'text', i: 'is' },
  },
  {
    query: `query ($l: [String!], $n: [Int!]) { bookCollection(filter: { code: { in: $l }, edition: { in: $n } }) { totalCount } }`,
    variables: { l: 'texts', n: 'ints' },
  },
  {
    query: `query ($a: String, $b: String) { bookCollection(filter: { code: { in: [$a, "b", $b] } }) { totalCount } }`,
    variables: { a: 'text', b: 'text' },
  },
  {
    query: `query ($t: [String!], $u: String) { bookCollection(filter: { tags: { overlaps: $t } }) { totalCount } b: bookCollection(filter: { tags: { contains: [$u] } }) { totalCount } }`,
    variables: { t: 'texts', u: 'text' },
  },
  {
    query: `query ($s: state, $u: UUID, $d: Date, $g: BigInt, $w: BigFloat) { bookCollection(filter: { state: { eq: $s }, mark: { neq: $u } }) { totalCount } c: bookCollection(filter: { or: [{ day: { eq: $d } }, { sold: { lt: $g } }, { price: { gt: $w } }] }) { totalCount } }`,
    variables: { s: 'state', u: 'uuid', d: 'day', g: 'amount', w: 'amount' },
  },
  { query: `query ($o: [bookOrderBy!]) { bookCollection(orderBy: $o, first: 4) ${books} }`, variables: { o: 'orders' } },
  {
    query: `query ($o: bookOrderBy, $d: OrderByDirection) { bookCollection(orderBy: [$o, { pages: $d }], first: 4) ${books} }`,
    variables: { o: 'author', d: 'direction' },
  },
  {
    query: `query ($d: OrderByDirection) { bookCollection(orderBy: { pages: $d, code: $d }, first: 4) ${books} }`,
    variables: { d: 'direction' },
  },
  { query: `query ($n: Int, $o: Int) { bookCollection(first: $n, offset: $o) ${books} }`, variables: { n: 'int', o: 'int' } },
  { query: `query ($n: Int, $m: Int) { bookCollection(first: $n, last: $m) ${books} }`, variables: { n: 'int', m: 'int' } },
  { query: `query ($a: Cursor, $n: Int) { bookCollection(after: $a, first: $n) ${books} }`, variables: { a: 'cursor', n: 'int' } },
  {
    query: `query ($a: Cursor, $b: Cursor, $n: Int) { bookCollection(after: $a, before: $b, last: $n, orderBy: [{ pages: DescNullsLast }]) ${books} }`,
    variables: { a: 'cursor', b: 'cursor', n: 'int' },
  },
  {
    query: `query ($n: Int) { bookCollection(first: $n, offset: $n, filter: { edition: { in: [$n], gte: $n } }) ${books} }`,
    variables: { n: 'int' },
  },
  {
    query: `query ($id: ID!) { node(nodeId: $id) { nodeId ... on author { name } ... on book { code edition } } }`,
    variables: { id: 'nodeId' },
  },
  {
    query: `query ($id: ID!) { bookCollection(filter: { nodeId: { eq: $id } }) { totalCount } a: authorCollection(filter: { nodeId: { eq: $id } }) { totalCount } }`,
    variables: { id: 'nodeId' },
  },
  {
    query: `query ($id: Int, $more: Int) { authorByPk(id: $id) { name } b: authorByPk(id: $more) { id } }`,
    variables: { id: 'int', more: 'int' },
  },
  { query: `query ($id: Int, $extra: String) { authorByPk(id: $id, extra: $extra) { name } }`, variables: { id: 'int', extra: 'text' } },
  {
    query: `query ($s: Boolean, $i: Boolean) { authorCollection(first: 2) { edges { node { id name @skip(if: $s) ... on author @include(if: $i) { active } } } totalCount @include(if: $s) } }`,
    variables: { s: 'boolean', i: 'boolean' },
  },
  {
    query: `query ($s: Boolean) { a: authorCollection(first: 1) @skip(if: $s) { totalCount } ...rest @include(if: $s) } fragment rest on Query { b: bookCollection(first: 1) { totalCount } }`,
    variables: { s: 'boolean' },
  },
  {
    query: `query ($n: Int, $f: bookFilter, $d: OrderByDirection) { authorCollection(first: 3) { edges { node { id bookCollection(first: $n, filter: $f, orderBy: [{ pages: $d }]) ${books} } } } }`,
    variables: { n: 'int', f: 'bookFilter', d: 'direction' },
  },
  { query: `query ($a: Int, $b: Int) { add_numbers(a: $a, b: $b) }`, variables: { a: 'int', b: 'int' } },
  {
    query: `query ($w: [String!], $g: String, $x: String) { joined_words(words: $w, glue: $g) b: joined_words(words: ["x", $x]) }`,
    variables: { w: 'texts', g: 'text', x: 'text' },
  },
  {
    query: `query ($w: Int, $n: Int, $f: bookFilter) { books_of(wanted: $w, first: $n, filter: $f) ${books} }`,
    variables: { w: 'int', n: 'int', f: 'bookFilter' },
  },
  {
    query: `query ($n: String!, $d: Boolean) { __type(name: $n) { name fields(includeDeprecated: $d) { name } } authorCollection(first: 1) { edges { node { id } } } }`,
    variables: { n: 'text', d: 'boolean' },
  },
  { query: `mutation ($id: Int, $n: String) { rename_author(id: $id, name: $n) { id name } }`, variables: { id: 'int', n: 'text' } },
  {
    query: `mutation ($o: [authorInsertInput!]!) { insertIntoauthorCollection(objects: $o) { affectedCount records { id name active score } } }`,
    variables: { o: 'authors' },
  },
  {
    query: `mutation ($o: [authorInsertInput!]!) { insertIntoauthorCollection(objects: $o) { affectedCount records { id name active score } } }`,
    variables: { o: 'author' },
  },
  {
    query: `mutation ($o: authorInsertInput!, $n: String, $i: Int) { insertIntoauthorCollection(objects: [$o, { id: 500, name: $n, score: $i }]) { records { id name score } } }`,
    variables: { o: 'author', n: 'text', i: 'int' },
  },
  {
    query: `mutation ($s: authorUpdateInput!, $f: authorFilter, $n: Int) { updateauthorCollection(set: $s, filter: $f, atMost: $n) { affectedCount records { id name score } } }`,
    variables: { s: 'author', f: 'authorFilter', n: 'int' },
  },
  {
    query: `mutation ($n: String, $a: Boolean, $m: Int) { updateauthorCollection(set: { name: $n, active: $a }, filter: { id: { lte: 2 } }, atMost: $m) { records { id name active } } }`,
    variables: { n: 'text', a: 'boolean', m: 'int' },
  },
  {
    query: `mutation ($t: [String!], $u: String, $v: varchar) { updatebookCollection(set: { tags: $t, code: $v }, filter: { code: { eq: "a" } }, atMost: 20) { records { tags } } b: updatebookCollection(set: { tags: [$u, "z"] }, filter: { code: { eq: "b" } }, atMost: 20) { records { tags } } }`,
    variables: { t: 'texts', u: 'text', v: 'text' },
  },
  {
    query: `mutation ($f: loanFilter, $m: Int) { deleteFromloanCollection(filter: $f, atMost: $m) { affectedCount } }`,
    variables: { f: 'intFilter', m: 'int' },
  },
  {
    query: `mutation ($s: Boolean, $i: Int) { a: deleteFromloanCollection(atMost: 100) @skip(if: $s) { affectedCount } insertIntoauthorCollection(objects: { id: $i }) { records { id name @include(if: $s) } } }`,
    variables: { s: 'boolean', i: 'int' },
  },
  {
    query: `query ($n: Int = 2, $f: bookFilter = { edition: { eq: 1 } }, $d: OrderByDirection = DescNullsLast, $s: Boolean = true) { bookCollection(first: $n, filter: $f, orderBy: [{ pages: $d }]) { totalCount @include(if: $s) edges { node { code } } } }`,
    variables: { n: 'int', f: 'bookFilter', d: 'direction', s: 'boolean' },
  },
  {
    query: `query ($n: Int = 2, $n: Int = 3) { bookCollection(first: $n) { edges { node { code } } } u: bookCollection(first: $undeclared) { edges { node { code } } } }`,
    variables: { n: 'int', undeclared: 'int' },
  },
  {
    query: `query ($f: bookFilter) { ...q } fragment q on Query { bookCollection(filter: { and: [{ pages: { gt: 0 } }, $f] }) { ...c } } fragment c on bookConnection { aggregate { count sum { pages } max { code } } totalCount }`,
    variables: { f: 'bookFilter' },
  },
]

/** What a variable may come as: mostly what fits, else anything, null, or (the null here) not at all. */
const suppliedAs = (kind: Kind): fc.Arbitrary<Raw | null> =>
  fc.oneof(
    { weight: 12, arbitrary: fitting[kind] ?? anyRaw },
    { weight: 2, arbitrary: anyRaw },
    { weight: 1, arbitrary: fc.constantFrom('null', null) },
  )

const supplied = (document: Document): fc.Arbitrary<readonly (readonly [string, Raw | null])[]> =>
  fc.tuple(
    ...Object.entries(document.variables).map(([name, kind]) => suppliedAs(kind).map((raw): readonly [string, Raw | null] => [name, raw])),
  )

const rawOf = (entries: readonly (readonly [string, Raw | null])[]): Raw =>
  `{${entries.flatMap(([name, raw]) => (raw === null ? [] : [`${JSON.stringify(name)}: ${raw}`])).join(', ')}}`

/** A document and the variables of several requests for it, each like the last but for some of them: that is what finds plans. */
const scenes = fc.constantFrom(...DOCUMENTS).chain((document) =>
  fc
    .tuple(
      supplied(document),
      fc.array(fc.tuple(supplied(document), fc.array(fc.boolean(), { minLength: 3, maxLength: 3 })), { minLength: 1, maxLength: 8 }),
    )
    .map(([first, changes]): readonly [string, readonly Raw[]] => {
      let last = first
      const all = [first]
      for (const [fresh, keep] of changes) {
        last = last.map((entry, i) => (keep[i] ? entry : (fresh[i] ?? entry)))
        all.push(last)
      }
      return [document.query, all.map(rawOf)]
    }),
)

const AS = { role: roleName('anon'), subject: null, claims: '{"role":"anon"}', token: '' }
const answer = (deps: ResolveDeps, query: string, variables: Raw) =>
  resolve(deps, AS, { query, variables: readJson(variables), operationName: null }, new AbortController().signal)

describe('a plan out of the cache', () => {
  test('answers other variables as a plan made for them does', { timeout: 600_000 }, async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(scenes, async ([query, asked]) => {
        const plans = createPlanCache({ maxDocuments: 10, maxCharacters: 1_000_000 })
        const counting: typeof plans = {
          ...plans,
          find: (...of) => {
            const bound = plans.find(...of)
            if (bound) found++
            return bound
          },
        }
        for (const variables of asked) {
          const once = await answer({ ...warm.deps, plans: counting }, query, variables)
          expect(once, `${query} ${variables}`).toEqual(await answer(cold.deps, query, variables))
        }
      }),
      { numRuns: RUNS },
    )
    // else nothing was proven
    expect(found).toBeGreaterThan(RUNS / 2)
  })

  test('every document can be answered at all', async () => {
    const refused: string[] = []
    for (const { query, variables } of DOCUMENTS) {
      const all = fc.sample(supplied({ query, variables }), { numRuns: 300, seed: 1 }).map(rawOf)
      const answers = await Promise.all(all.map((given) => answer(cold.deps, query, given)))
      if (answers.every(({ text }) => text.includes('"errors"'))) refused.push(`${query}: ${answers[0]?.text}`)
    }
    expect(refused).toEqual([])
  })
})
