import { resolve } from '../../src/graphql/resolve.ts'
import { textOf } from '../../src/graphql/respond.ts'
import type { ScopedBatch } from '../../src/pg/scoped-batch.ts'
import type { Statement } from '../../src/sqltext/sql.ts'
import { roleName } from '../../src/std/brand.ts'
import { withClient } from '../support/postgres.ts'
import type { GraphqlOn } from './graphql-on.ts'

const AS = { role: roleName('anon'), subject: null, claims: '{"role":"anon"}', token: '' }

export type PlanNode = { readonly 'Node Type': string; readonly Plans?: readonly PlanNode[]; readonly [property: string]: unknown }

export const within = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(within)]

/** The statement that answers a query, and the data. */
export async function answering<Data>(graphql: GraphqlOn, query: string): Promise<{ readonly data: Data; readonly statement: Statement }> {
  let statement: Statement | undefined
  const run = (batch: ScopedBatch, signal: AbortSignal) => {
    statement = batch.statements[0]
    return graphql.deps.run(batch, signal)
  }
  const { text } = await resolve({ ...graphql.deps, run }, AS, { query, variables: {}, operationName: null }, AbortSignal.timeout(20_000))
  if (!statement) throw new Error(`no statement for ${query}: ${textOf(text)}`)
  return { ...JSON.parse(textOf(text)), statement }
}

/** How PostgreSQL runs a statement, and how many blocks that looks at. */
export const explained = (
  { url }: { readonly url: string },
  { text, values }: Statement,
): Promise<{ readonly nodes: readonly PlanNode[]; readonly blocks: number }> =>
  withClient(url, async (client) => {
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, [...values])
    const plan = rows[0]['QUERY PLAN'][0].Plan as PlanNode
    return { nodes: within(plan), blocks: Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']) }
  })
