import { LRUCache } from 'lru-cache'
import { extensionMissing } from '../catalog/extension-missing.ts'
import { reflectForRole } from '../catalog/reflect.ts'
import { TURNS } from '../catalog/turns.ts'
import { createDocumentCache } from '../graphql/operation/document-cache.ts'
import { DEFAULT_GRAPHQL_LIMITS, type GraphqlLimits } from '../graphql/operation/limits.ts'
import { GraphqlError, type GraphqlRequest } from '../graphql/operation/operation.ts'
import { jsonFrom } from '../graphql/operation/read-json.ts'
import type { Bound } from '../graphql/plan-cache.ts'
import { createPlanCache } from '../graphql/plan-cache.ts'
import { type PrepareDeps, prepareRequest } from '../graphql/prepare.ts'
import { directiveMessage } from '../graphql/resolve.ts'
import { respond, respondDatabaseError, respondError, textOf } from '../graphql/respond.ts'
import { reflectSchema } from '../graphql/schema/reflect-schema.ts'
import type { RoleSchema } from '../graphql/schema/role-schema.ts'
import type { PgText, Statement } from '../sqltext/sql.ts'
import { roleName } from '../std/brand.ts'

/** What is needed of a client of the package pg: `query` with `rowMode: 'array'`. */
export type EmbeddingClient = {
  query(query: {
    text: string
    values?: unknown[]
    rowMode: 'array'
    types: { getTypeParser(): (text: string) => string }
  }): Promise<{ rows: unknown[][] }>
  query(text: string): Promise<unknown>
}

export type EmbeddedRequest = {
  readonly query: string
  readonly variables?: unknown
  readonly operationName?: string | null | undefined
}

export type EmbeddedGraphql = {
  /**
   * Answers a GraphQL request on a client of the caller's: in its transaction, if it has one open, with its role and search path,
   * seeing its uncommitted changes of data and schema.
   * @returns the response body, JSON text
   * @throws ServiceError ExtensionMissing where the database lacks stowage_graphql, and whatever the client throws for a connection that is lost
   */
  readonly resolveOn: (client: EmbeddingClient, request: EmbeddedRequest) => Promise<string>
}

const SCHEMAS_KEPT = 64

/** The GraphQL compiler for a program that has PostgreSQL connections of its own. The database needs stowage_graphql. */
export function createGraphql(options: { readonly limits?: Partial<GraphqlLimits> } = {}): EmbeddedGraphql {
  const limits = { ...DEFAULT_GRAPHQL_LIMITS, ...options.limits }
  const deps: PrepareDeps = {
    limits,
    documents: createDocumentCache(limits),
    turns: TURNS,
    plans: createPlanCache({ maxDocuments: 500, maxCharacters: 10_000_000 }),
  }
  const schemas = new LRUCache<string, RoleSchema>({ max: SCHEMAS_KEPT })

  async function schemaFor(client: EmbeddingClient): Promise<RoleSchema> {
    const [row] = await whoAndWhere(client)
    const [role = null, path = null, version = null] = row ?? []
    if (role === null) throw new Error('the database did not say who asks')
    const key = JSON.stringify([role, path, version])
    const schema = schemas.get(key) ?? (await reflected(client, JSON.parse(path ?? '[]') as string[], role))
    schemas.set(key, schema)
    const { directiveError } = schema.catalog
    if (directiveError !== null) throw new GraphqlError(directiveMessage(directiveError), 'absent')
    return schema
  }

  return {
    resolveOn: async (client, { query, variables, operationName }) => {
      try {
        const request: GraphqlRequest = {
          query,
          variables: jsonFrom(variables === undefined ? {} : variables),
          operationName: operationName ?? null,
        }
        return await execute(client, await prepareRequest(deps, await schemaFor(client), request))
      } catch (error) {
        if (error instanceof GraphqlError) return respondError(error)
        throw error
      }
    },
  }
}

async function reflected(client: EmbeddingClient, searchPath: readonly string[], role: string): Promise<RoleSchema> {
  const { catalog, grants } = await reflectForRole((statement) => rowsOf(client, statement), searchPath, roleName(role))
  if (grants === null) throw new Error(`the database has no role ${JSON.stringify(role)}`)
  return reflectSchema(catalog, grants)
}

async function whoAndWhere(client: EmbeddingClient): Promise<readonly (readonly PgText[])[]> {
  try {
    return await rowsOf(client, { text: WHO_AND_WHERE, values: [] })
  } catch (error) {
    throw isDatabaseError(error) && MISSING.has(error.code) ? extensionMissing(error) : error
  }
}

/** no such table, no such schema */
const MISSING = new Set(['42P01', '3F000'])

const WHO_AND_WHERE = `select current_user::text, to_json(current_schemas(false))::text, (select bit_xor(id)::text from stowage_graphql.schema_version)`

/** In the caller's transaction a savepoint keeps an error from spoiling it; without one, ours spans the statements. */
async function execute(client: EmbeddingClient, { kind, statements, parts, errors }: Bound): Promise<string> {
  const failed = kind === 'mutation' ? errors[0] : undefined
  if (statements.length === 0) return failed ? respondError(failed.error) : textOf(respond(parts, [], errors))
  const scope = await openScope(client)
  const rows: (readonly (readonly PgText[])[])[] = []
  try {
    for (const statement of statements) rows.push(await rowsOf(client, statement))
    if (failed) {
      await client.query(scope.undo)
      return respondError(failed.error)
    }
    await client.query(scope.keep)
    return textOf(respond(parts, rows, errors))
  } catch (error) {
    await client.query(scope.undo)
    if (isDatabaseError(error)) return respondDatabaseError(error.message, error.code, parts, rows.length)
    throw error
  }
}

type Scope = { readonly keep: string; readonly undo: string }

async function openScope(client: EmbeddingClient): Promise<Scope> {
  try {
    await client.query('savepoint stowage_graphql')
    return { keep: 'release savepoint stowage_graphql', undo: 'rollback to savepoint stowage_graphql; release savepoint stowage_graphql' }
  } catch (error) {
    // 25P01: no transaction is open
    if (!isDatabaseError(error) || error.code !== '25P01') throw error
    await client.query('begin')
    return { keep: 'commit', undo: 'rollback' }
  }
}

const isDatabaseError = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'severity' in error

async function rowsOf(client: EmbeddingClient, { text, values }: Statement): Promise<readonly (readonly PgText[])[]> {
  const result = await client.query({ text, values: [...values], rowMode: 'array', types: AS_TEXT })
  return result.rows as PgText[][]
}

const AS_TEXT = { getTypeParser: () => (text: string) => text }
