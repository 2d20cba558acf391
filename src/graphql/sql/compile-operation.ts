import { compile, constant, ident, nothing, type Sql, sql } from '../../sqltext/sql.ts'
import { assertNever } from '../../std/assert-never.ts'
import { invariant } from '../../std/invariant.ts'
import type { BoundParam, RootPlan } from '../plan/plan.ts'
import { boundedAnswer, boundedAnswerOfChange } from './bounded-answer.ts'
import { type Compilation, startCompilation } from './compilation.ts'
import { compileCollection } from './compile-collection.ts'
import { compileDelete, compileInsert, compileUpdate } from './compile-mutation.ts'
import { compileNode, compileRowOf } from './compile-node.ts'
import { compilePredicate } from './compile-predicate.ts'
import { compileCall, compileSource } from './compile-source.ts'
import { encode } from './encode.ts'
import { concatenation } from './json-text.ts'
import { createRow } from './row.ts'

export type CompiledStatement = { readonly text: string; readonly params: readonly BoundParam[] }

/** Where a root's JSON text comes from: known already, or a column of the one row of a statement. */
export type Part = { readonly key: string } & (
  | { readonly from: 'document'; readonly json: string | Uint8Array }
  | { readonly from: 'database'; readonly statement: number; readonly column: number }
)

export type Compiled = { readonly statements: readonly CompiledStatement[]; readonly parts: readonly Part[] }

/**
 * A query is one statement, a column a root; a mutation is one statement a root, in order. A statement whose answer is longer than
 * `maxBytes` fails: it would have to be held in memory whole.
 */
export function compileOperation(kind: 'query' | 'mutation', roots: readonly RootPlan[], maxBytes: number): Compiled {
  const statements: CompiledStatement[] = []
  const parts: Part[] = []
  if (kind === 'query') {
    const compilation = startCompilation(compileCollection, maxBytes)
    const columns: Sql[] = []
    for (const root of roots) {
      if (root.kind === 'literal') parts.push({ key: root.key, from: 'document', json: root.json })
      else {
        invariant(!isWritten(root), 'a query changes nothing')
        parts.push({ key: root.key, from: 'database', statement: 0, column: columns.push(compileRoot(root, compilation)) - 1 })
      }
    }
    if (columns.length > 0) statements.push(toCompiled(sql`/* graphql.query */ ${boundedAnswer(columns, maxBytes)}`))
  } else {
    for (const root of roots) {
      if (root.kind === 'literal') parts.push({ key: root.key, from: 'document', json: root.json })
      else
        parts.push({ key: root.key, from: 'database', statement: statements.push(toCompiled(compileStep(root, maxBytes))) - 1, column: 0 })
    }
  }
  return { statements, parts }
}

const isWritten = (root: RootPlan): root is Written => root.kind === 'insert' || root.kind === 'update' || root.kind === 'delete'

/** Every param of the compiler's making came out of the plan. */
const toCompiled = (piece: Sql): CompiledStatement => {
  const { text, params } = compile(piece)
  return { text, params: params as readonly BoundParam[] }
}

type Executed = Exclude<RootPlan, { readonly kind: 'literal' }>
type Written = Extract<RootPlan, { readonly kind: 'insert' | 'update' | 'delete' }>

function compileStep(root: Executed, maxBytes: number): Sql {
  const compilation = startCompilation(compileCollection, maxBytes)
  switch (root.kind) {
    case 'insert':
      return sql`/* graphql.insert */ ${compileInsert(root, compilation)}`
    case 'update':
      return sql`/* graphql.update */ ${compileUpdate(root, compilation)}`
    case 'delete':
      return sql`/* graphql.delete */ ${compileDelete(root, compilation)}`
    default:
      return sql`/* graphql.call */ ${boundedAnswerOfChange(compileRoot(root, compilation), maxBytes, nothing)}`
  }
}

function compileRoot(root: Exclude<Executed, Written>, compilation: Compilation): Sql {
  switch (root.kind) {
    case 'collection':
      return compileCollection(root.collection, null, compilation)
    case 'record':
      return compileRecord(root, compilation)
    case 'value':
      return concatenation(encode(compileCall(root.source), root.encoding, true))
    default:
      return assertNever(root)
  }
}

function compileRecord(root: Extract<RootPlan, { readonly kind: 'record' }>, compilation: Compilation): Sql {
  if (root.source.kind !== 'relation') return compileRowOf(compileSource(root.source, null), root.node, compilation)
  const alias = compilation.nextAlias()
  const json = concatenation(compileNode(root.node, createRow(alias, root.node.relation, true), compilation))
  const where = compilePredicate(root.where, (column) => ident(alias, column.name))
  return sql`coalesce((select ${json} from ${compileSource(root.source, null)} ${ident(alias)} where ${where}${constant(' limit 1')}), 'null')`
}
