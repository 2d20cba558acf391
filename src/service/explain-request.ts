import { ANON } from '../auth/authenticate.ts'
import type { RoleContext } from '../auth/role-context.ts'
import { StartupError } from '../config/startup-error.ts'
import { createDocumentCache } from '../graphql/operation/document-cache.ts'
import type { Json } from '../graphql/operation/json.ts'
import { DEFAULT_GRAPHQL_LIMITS } from '../graphql/operation/limits.ts'
import { GraphqlError } from '../graphql/operation/operation.ts'
import { JsonFault, readJson } from '../graphql/operation/read-json.ts'
import { printPlan } from '../graphql/plan/print-plan.ts'
import { planRequest } from '../graphql/prepare.ts'
import type { RoleSchema } from '../graphql/schema/role-schema.ts'
import { compileOperation } from '../graphql/sql/compile-operation.ts'
import { PgError } from '../pg/pg-error.ts'
import type { PgPool } from '../pg/pool.ts'
import type { Statement } from '../sqltext/sql.ts'
import { roleName } from '../std/brand.ts'
import { atOnce } from '../std/in-turns.ts'
import type { Database } from './open-database.ts'
import { type RoleSchemaOptions, withRoleSchema } from './with-role-schema.ts'

export type ExplainOptions = Omit<RoleSchemaOptions, 'role'> & {
  /** null: the one that the claims name, else anon */
  readonly role: string | null
  readonly query: string
  /** JSON text of an object */
  readonly variables: string
  readonly operationName: string | null
  /** JSON text of an object, as a token's payload has it */
  readonly claims: string
  /** runs the statements, and takes back what they did */
  readonly analyze: boolean
}

export type Explained = {
  /** a line a thing */
  readonly plan: string
  readonly statements: readonly (Statement & {
    /** PostgreSQL's EXPLAIN, or why it refused */
    readonly explain: readonly string[]
  })[]
  /** of root fields that cannot be answered */
  readonly errors: readonly string[]
}

/**
 * What becomes of a GraphQL request on its way: the plan, its SQL with values, and what PostgreSQL makes of that for the role and
 * its claims. Nothing is changed in the database: every transaction is rolled back.
 * @throws StartupError
 */
export const explainRequest = (database: Database, options: ExplainOptions, onLine: (line: string) => void): Promise<Explained> => {
  const as = callerOf(options)
  const variables = jsonOf('--variables', options.variables)
  return withRoleSchema(database, { ...options, role: as.role }, onLine, async (schema, pool) => {
    const { kind, plan, statements, errors } = compileRequest(schema, options, variables)
    const explains = await explainStatements(pool, as, kind, statements, options.analyze)
    return { plan, statements: statements.map((statement, i) => ({ ...statement, explain: explains[i] ?? [] })), errors }
  })
}

function callerOf({ role: wanted, claims }: ExplainOptions): RoleContext {
  jsonOf('--claims', claims)
  const { role: named, sub } = JSON.parse(claims) as { role?: unknown; sub?: unknown }
  if (wanted !== null && named !== undefined && named !== wanted) {
    throw new StartupError(`--role is ${JSON.stringify(wanted)}, but the claims name the role ${JSON.stringify(named)}.`)
  }
  const role = wanted ?? (typeof named === 'string' ? named : ANON)
  return {
    role: roleName(role),
    subject: typeof sub === 'string' ? sub : null,
    claims: named === undefined ? JSON.stringify({ role, ...JSON.parse(claims) }) : claims,
    token: '',
  }
}

function jsonOf(option: string, text: string): { readonly [key: string]: Json } {
  try {
    const json = readJson(text)
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as { readonly [key: string]: Json }
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    throw new StartupError(`${option} is not JSON: ${error.message}.`)
  }
  throw new StartupError(`${option} must be a JSON object, like {"id": 1}.`)
}

function compileRequest(schema: RoleSchema, { query, operationName }: ExplainOptions, variables: { readonly [key: string]: Json }) {
  const limits = DEFAULT_GRAPHQL_LIMITS
  try {
    const { planned } = atOnce(planRequest({ limits, documents: createDocumentCache(limits) }, schema, { query, variables, operationName }))
    return {
      kind: planned.kind,
      plan: printPlan(planned.kind, planned.roots),
      statements: compileOperation(planned.kind, planned.roots, limits.responseBytes).statements.map(
        ({ text, params }): Statement => ({
          text,
          values: params.map((bound) => bound.text),
        }),
      ),
      errors: planned.errors.map(({ key, error }) => `${key}: ${placed(error)}`),
    }
  } catch (error) {
    if (error instanceof GraphqlError) throw new StartupError(placed(error), { cause: error })
    throw error
  }
}

function placed({ message, line, column }: GraphqlError): string {
  const words = message.trim().replaceAll('\n', ': ')
  return line === null ? words : `${words} (line ${line}, column ${column})`
}

async function explainStatements(
  pool: PgPool,
  as: RoleContext,
  kind: 'query' | 'mutation',
  statements: readonly Statement[],
  analyze: boolean,
): Promise<readonly (readonly string[])[]> {
  if (statements.length === 0) return []
  const explain = analyze ? 'explain (analyze, buffers)' : 'explain'
  try {
    const rows = await pool.run(
      {
        as,
        access: kind === 'query' ? 'read only' : 'read write',
        end: 'roll back',
        settings: [],
        statements: statements.map(({ text, values }) => ({ text: `${explain} ${text}`, values })),
      },
      new AbortController().signal,
    )
    return rows.map((lines) => lines.map(([line]) => line ?? ''))
  } catch (error) {
    if (!(error instanceof PgError)) throw error
    if (error.statement < 0) throw new StartupError(`The role ${as.role} could not be taken on: ${error.message}.`, { cause: error })
    const refusal = `PostgreSQL refuses: ${error.message} (${error.sqlstate})`
    return statements.map((_, i) => (i === error.statement ? [refusal] : []))
  }
}
