import { createCatalogCache } from '../../src/catalog/cache.ts'
import type { Catalog } from '../../src/catalog/model.ts'
import { readGrants, reflectCatalog } from '../../src/catalog/reflect.ts'
import { TURNS } from '../../src/catalog/turns.ts'
import { createDocumentCache } from '../../src/graphql/operation/document-cache.ts'
import { DEFAULT_GRAPHQL_LIMITS } from '../../src/graphql/operation/limits.ts'
import { jsonFrom } from '../../src/graphql/operation/read-json.ts'
import { createPlanCache, type PlanCache } from '../../src/graphql/plan-cache.ts'
import { type ResolveDeps, resolve } from '../../src/graphql/resolve.ts'
import { textOf } from '../../src/graphql/respond.ts'
import { createRoleSchemas } from '../../src/graphql/role-schemas.ts'
import { createPgPool, type PgPool } from '../../src/pg/pool.ts'
import type { ScopedBatch } from '../../src/pg/scoped-batch.ts'
import { graphqlSearchPath } from '../../src/service/graphql-search-path.ts'
import { milliseconds, roleName } from '../../src/std/brand.ts'

export type Answer = { readonly data?: unknown; readonly errors?: readonly { readonly message: string }[] }

export type GraphqlOn = {
  readonly deps: ResolveDeps
  readonly pool: PgPool
  /** the response body as it is sent */
  readonly text: (query: string, variables?: unknown, as?: Asker) => Promise<string>
  readonly ask: (query: string, variables?: unknown, as?: Asker) => Promise<Answer>
  /** how often the catalog was read */
  readonly reflections: () => number
  readonly end: () => Promise<void>
}

export type Asker = { readonly role: string; readonly subject?: string }

export type GraphqlOnOptions = {
  readonly schemas?: readonly string[]
  readonly maxConnections?: number
  readonly timeoutMs?: number
  /** remember no plan */
  readonly cold?: boolean
  /** nothing that is asked leaves a trace */
  readonly dryRun?: boolean
}

const ANON: Asker = { role: 'anon' }

/** The GraphQL face over a database, as the service composes it but for HTTP. Its login is whoever `url` names. */
export function graphqlOn(url: string, options: GraphqlOnOptions = {}): GraphqlOn {
  const { schemas = ['public'], maxConnections = 4, timeoutMs = 10_000, cold = false, dryRun = false } = options
  const pool = createPgPool({
    url,
    applicationName: 'graphql test',
    maxConnections,
    waitMs: milliseconds(20_000),
    maxWaiting: 1_000,
    graceMs: milliseconds(5_000),
    mostPrepared: 250,
    searchPath: graphqlSearchPath(schemas),
    statementTimeoutMs: () => timeoutMs,
  })
  let reflections = 0
  const remembering = createPlanCache({ maxDocuments: 1_000, maxCharacters: 20_000_000 })
  const forgetting: PlanCache = { find: () => null, keep: () => undefined }
  const deps: ResolveDeps = {
    limits: DEFAULT_GRAPHQL_LIMITS,
    documents: createDocumentCache(DEFAULT_GRAPHQL_LIMITS),
    turns: TURNS,
    plans: cold ? forgetting : remembering,
    catalog: createCatalogCache({
      reflect: (): Promise<Catalog> => reflectCatalog(pool.query, schemas),
      patienceMs: 5_000,
      onReflected: () => {
        reflections++
      },
    }),
    schemaOf: createRoleSchemas({ readGrants: (catalog, roles) => readGrants(pool.query, catalog, schemas, roles), turns: TURNS }),
    run: dryRun ? (batch: ScopedBatch, signal) => pool.runForBytes({ ...batch, end: 'roll back' }, signal) : pool.runForBytes,
    searchPath: graphqlSearchPath(schemas),
  }
  const text: GraphqlOn['text'] = async (query, variables = {}, { role, subject } = ANON) => {
    const claims = JSON.stringify({ role, ...(subject === undefined ? {} : { sub: subject }) })
    const as = { role: roleName(role), subject: subject ?? null, claims, token: '' }
    const request = { query, variables: jsonFrom(variables), operationName: null }
    return textOf((await resolve(deps, as, request, AbortSignal.timeout(60_000))).text)
  }
  return {
    deps,
    pool,
    text,
    ask: async (...asked) => JSON.parse(await text(...asked)) as Answer,
    reflections: () => reflections,
    end: pool.end,
  }
}
