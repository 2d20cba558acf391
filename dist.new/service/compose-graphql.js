import { ANON, AUTHENTICATED, SERVICE_ROLE } from '../auth/authenticate.js';
import { createCatalogCache } from '../catalog/cache.js';
import { reflectCatalog } from '../catalog/reflect.js';
import { createDocumentCache } from '../graphql/operation/document-cache.js';
import { DEFAULT_GRAPHQL_LIMITS } from '../graphql/operation/limits.js';
import { operationKind } from '../graphql/operation/operation-kind.js';
import { createPlanCache } from '../graphql/plan-cache.js';
import { resolve } from '../graphql/resolve.js';
import { createSchemaMemo } from '../graphql/schema/schema-memo.js';
import { quoteIdent } from '../sqltext/sql.js';
import { roleName } from '../std/brand.js';
/** How long requests wait while the owner replaces the extension. */
const EXTENSION_PATIENCE_MS = 5_000;
const PLANS = { maxDocuments: 1_000, maxCharacters: 20_000_000 };
/** The GraphQL face: catalog, caches and compiler over the pools. */
export function composeGraphql(config, connections, authenticate, observe) {
    const roles = [ANON, AUTHENTICATED, SERVICE_ROLE, ...config.extraRoles.map(roleName)];
    const documents = createDocumentCache(DEFAULT_GRAPHQL_LIMITS);
    const deps = {
        limits: DEFAULT_GRAPHQL_LIMITS,
        documents,
        plans: createPlanCache(PLANS),
        catalog: createCatalogCache({
            reflect: () => reflectCatalog(connections.query, config.graphqlSchemas, roles),
            patienceMs: EXTENSION_PATIENCE_MS,
            onReflected: (catalog, ms) => observe({
                kind: 'note',
                level: 'debug',
                message: 'schema reflected',
                details: { version: catalog.version, relations: catalog.relations.size, ms: Math.round(ms) },
            }),
        }),
        schemaOf: createSchemaMemo(),
        run: connections.asCaller,
        searchPath: config.graphqlSchemas.map(quoteIdent).join(', '),
    };
    return {
        authenticate,
        resolve: (as, request, signal) => resolve(deps, as, request, signal),
        operationKind: (request) => operationKind(request, documents.parse),
        maxBodyBytes: config.jsonLimit,
    };
}
