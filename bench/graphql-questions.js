import { createHash } from 'node:crypto'
import { getIntrospectionQuery } from 'graphql'

/**
 * A workload: one or more questions that are asked in rotation.
 * @typedef {{ query: string, variables: Record<string, unknown> }} Question
 * @typedef {{ name: string, needsDatabase: boolean, questions: readonly Question[] }} Workload
 */

/** Who asks: somebody signed in, of one of a hundred tenants. */
export const CLAIMS = {
  role: 'authenticated',
  sub: createHash('md5')
    .update('tenant3')
    .digest('hex')
    .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'),
}

const WIDE = 'id batch a1 a2 a3 a4 b1 b2 b3 c1 c2 c3 c4 c5 d1 d2 d3 d4 e1 e2'.split(' ')
/** Values that a question is asked with in turn. */
const TURNS = 40

/**
 * @param {{ scale: number, documents: number }} size of the data, and of the set of different documents
 * @returns {readonly Workload[]}
 */
export function graphqlWorkloads({ scale, documents }) {
  const turns = (/** @type {(i: number) => Record<string, unknown>} */ variables) => Array.from({ length: TURNS }, (_, i) => variables(i))
  const asked = (/** @type {string} */ query, /** @type {(i: number) => Record<string, unknown>} */ variables) =>
    turns(variables).map((values) => ({ query, variables: values }))
  const customers = 10_000 * scale
  const spread = (/** @type {number} */ i, /** @type {number} */ most) => 1 + ((i * 7919) % most)
  return [
    {
      name: 'GraphQL: one row by a unique column',
      needsDatabase: true,
      questions: asked(
        'query($email: String!) { customerCollection(first: 1, filter: {email: {eq: $email}}) { edges { node { id name email plan joined_at } } } }',
        (i) => ({ email: `customer${spread(i, customers)}@example.org` }),
      ),
    },
    {
      name: 'GraphQL: nested lists, 20 x 10 x 5',
      needsDatabase: true,
      questions: asked(
        'query($cohort: Int!) { customerCollection(first: 20, filter: {cohort: {eq: $cohort}}) { edges { node { id name purchaseCollection(first: 10) { edges { node { id status lineCollection(first: 5) { edges { node { id quantity price } } } } } } } } } }',
        (i) => ({ cohort: spread(i, customers / 20) - 1 }),
      ),
    },
    {
      name: 'GraphQL: 100 rows of 20 columns',
      needsDatabase: true,
      questions: asked(
        `query($batch: Int!) { wideCollection(first: 100, filter: {batch: {eq: $batch}}) { edges { node { ${WIDE.join(' ')} } } } }`,
        (i) => ({ batch: spread(i, 200 * scale) - 1 }),
      ),
    },
    {
      name: 'GraphQL: filtered, ordered page with totalCount and pageInfo',
      needsDatabase: true,
      questions: asked(
        'query($shop: Int!) { purchaseCollection(first: 20, filter: {shop: {eq: $shop}, status: {eq: "paid"}}, orderBy: [{placed_at: DescNullsLast}, {id: DescNullsLast}]) { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { node { id total status placed_at } } } }',
        (i) => ({ shop: spread(i, 50) }),
      ),
    },
    {
      name: 'GraphQL: five to-one levels',
      needsDatabase: true,
      questions: asked(
        'query($id: Int!) { lineCollection(first: 1, filter: {id: {eq: $id}}) { edges { node { id label purchase { id status customer { id name town { id name country { id name region { id name } } } } } } } } }',
        (i) => ({ id: spread(i, 500_000 * scale) }),
      ),
    },
    {
      name: 'GraphQL: insert returning',
      needsDatabase: true,
      questions: asked(
        'mutation($note: String!, $actor: UUID!) { insertIntoclickCollection(objects: [{kind: "click", actor: $actor, note: $note}]) { affectedCount records { kind note actor } } }',
        (i) => ({ note: `note ${i}`, actor: CLAIMS.sub }),
      ),
    },
    {
      name: `GraphQL: policy on a claim over ${(1_000_000 * scale).toLocaleString('en')} rows`,
      needsDatabase: true,
      questions: [
        {
          query:
            '{ noteCollection(first: 50, filter: {status: {eq: "open"}}, orderBy: [{changed_at: DescNullsLast}, {id: DescNullsLast}]) { edges { node { id title status changed_at } } } }',
          variables: {},
        },
      ],
    },
    {
      name: `GraphQL: ${documents.toLocaleString('en')} documents in rotation`,
      needsDatabase: true,
      questions: Array.from({ length: documents }, (_, i) => ({ query: documentOf(i), variables: { batch: spread(i, 200 * scale) - 1 } })),
    },
    { name: 'GraphQL: full introspection', needsDatabase: false, questions: [{ query: getIntrospectionQuery(), variables: {} }] },
  ]
}

/** The i-th of many documents that differ: other columns, another order, another number of rows. @param {number} i */
export function documentOf(i) {
  const columns = WIDE.filter((_, k) => k === 0 || ((i >> (k % 10)) + k + (i >> 4)) % 3 === 0)
  const order = ['id', 'a1', 'd3', 'a3'][i % 4]
  return `query Document${i}($batch: Int!) { wideCollection(first: ${5 + (i % 8)}, filter: {batch: {eq: $batch}}, orderBy: [{${order}: DescNullsLast}]) { edges { node { ${columns.join(' ')} } } } }`
}
