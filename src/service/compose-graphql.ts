import type { Authenticate } from '../auth/authenticate.ts'
import { createCatalogCache } from '../catalog/cache.ts'
import { readGrants, reflectCatalog } from '../catalog/reflect.ts'
import { TURNS } from '../catalog/turns.ts'
import type { Config } from '../config/options.ts'
import { createDocumentCache } from '../graphql/operation/document-cache.ts'
import { DEFAULT_GRAPHQL_LIMITS } from '../graphql/operation/limits.ts'
import { operationKind } from '../graphql/operation/operation-kind.ts'
import { createPlanCache } from '../graphql/plan-cache.ts'
import type { ResolveDeps } from '../graphql/resolve.ts'
import { createRoleSchemas } from '../graphql/role-schemas.ts'
import type { GraphqlRouteDeps } from '../http/graphql/route.ts'
import type { Observe } from '../observe/observation.ts'
import { askAgain } from '../pg/ask-again.ts'
import type { Connections } from './connections.ts'
import { graphqlSearchPath } from './graphql-search-path.ts'
import type { Watching } from './watch-work.ts'

/** How long requests wait while the owner replaces the extension. */
const EXTENSION_PATIENCE_MS = 5_000
/** What plans take at most for a role, however many may be kept. */
const MAX_PLAN_CHARACTERS = 20_000_000

/** The GraphQL face: catalog, caches and compiler over the pools. */
export function composeGraphql(
  config: Config,
  connections: Connections,
  authenticate: Authenticate,
  observe: Observe,
  watching: Watching,
): GraphqlRouteDeps {
  const query = askAgain(connections.query)
  const documents = createDocumentCache(DEFAULT_GRAPHQL_LIMITS)
  const deps: ResolveDeps = {
    limits: DEFAULT_GRAPHQL_LIMITS,
    documents,
    turns: TURNS,
    plans: watching.plans(createPlanCache({ maxDocuments: config.plansKept, maxCharacters: MAX_PLAN_CHARACTERS })),
    catalog: createCatalogCache({
      reflect: () => reflectCatalog(query, config.graphqlSchemas),
      patienceMs: EXTENSION_PATIENCE_MS,
      onReflected: ({ version, relations }, ms) => observe({ kind: 'reflection', version, relations: relations.size, ms }),
    }),
    schemaOf: createRoleSchemas({
      readGrants: (catalog, roles) => readGrants(query, catalog, config.graphqlSchemas, roles),
      turns: TURNS,
    }),
    run: connections.asCallerAtLength,
    searchPath: graphqlSearchPath(config.graphqlSchemas),
  }
  return {
    authenticate,
    resolve: (as, request, signal) => watching.resolve(deps, as, request, signal),
    operationKind: (request) => operationKind(request, documents.parse),
    maxBodyBytes: config.jsonLimit,
  }
}
