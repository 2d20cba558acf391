import { LRUCache } from 'lru-cache';
import { reflectCatalog } from '../catalog/reflect.js';
import { createDocumentCache } from '../graphql/operation/document-cache.js';
import { DEFAULT_GRAPHQL_LIMITS } from '../graphql/operation/limits.js';
import { GraphqlError } from '../graphql/operation/operation.js';
import { jsonFrom } from '../graphql/operation/read-json.js';
import { createPlanCache } from '../graphql/plan-cache.js';
import { prepareRequest } from '../graphql/prepare.js';
import { directiveMessage } from '../graphql/resolve.js';
import { respond, respondDatabaseError, respondError } from '../graphql/respond.js';
import { createSchemaMemo } from '../graphql/schema/schema-memo.js';
import { roleName } from '../std/brand.js';
const CATALOGS_KEPT = 64;
/** The GraphQL compiler for a program that has PostgreSQL connections of its own. The database needs stowage_graphql. */
export function createGraphql(options = {}) {
    const limits = { ...DEFAULT_GRAPHQL_LIMITS, ...options.limits };
    const deps = {
        limits,
        documents: createDocumentCache(limits),
        plans: createPlanCache({ maxDocuments: 500, maxCharacters: 10_000_000 }),
    };
    const catalogs = new LRUCache({ max: CATALOGS_KEPT });
    const schemaOf = createSchemaMemo();
    async function schemaFor(client) {
        const [row] = await rowsOf(client, { text: WHO_AND_WHERE, values: [] });
        const [role = null, path = null, version = null] = row ?? [];
        if (role === null)
            throw new Error('the database did not say who asks');
        const key = JSON.stringify([role, path, version]);
        let catalog = catalogs.get(key);
        if (!catalog) {
            catalog = await reflectCatalog((statement) => rowsOf(client, statement), JSON.parse(path ?? '[]'), [roleName(role)]);
            catalogs.set(key, catalog);
        }
        if (catalog.directiveError !== null)
            throw new GraphqlError(directiveMessage(catalog.directiveError), 'absent');
        return schemaOf(catalog, roleName(role));
    }
    return {
        resolveOn: async (client, { query, variables, operationName }) => {
            try {
                const request = { query, variables: jsonFrom(variables === undefined ? {} : variables), operationName: operationName ?? null };
                return await execute(client, prepareRequest(deps, await schemaFor(client), request));
            }
            catch (error) {
                if (error instanceof GraphqlError)
                    return respondError(error);
                throw error;
            }
        },
    };
}
const WHO_AND_WHERE = `select current_user::text, to_json(current_schemas(false))::text, (select bit_xor(id)::text from stowage_graphql.schema_version)`;
/** In the caller's transaction a savepoint keeps an error from spoiling it; without one, ours spans the statements. */
async function execute(client, { kind, statements, parts, errors }) {
    const failed = kind === 'mutation' ? errors[0] : undefined;
    if (statements.length === 0)
        return failed ? respondError(failed.error) : respond(parts, [], errors);
    const scope = await openScope(client);
    try {
        const rows = [];
        for (const statement of statements)
            rows.push((await rowsOf(client, statement))[0] ?? []);
        if (failed) {
            await client.query(scope.undo);
            return respondError(failed.error);
        }
        await client.query(scope.keep);
        return respond(parts, rows, errors);
    }
    catch (error) {
        await client.query(scope.undo);
        if (isDatabaseError(error))
            return respondDatabaseError(error.message, error.code);
        throw error;
    }
}
async function openScope(client) {
    try {
        await client.query('savepoint stowage_graphql');
        return { keep: 'release savepoint stowage_graphql', undo: 'rollback to savepoint stowage_graphql; release savepoint stowage_graphql' };
    }
    catch (error) {
        // 25P01: no transaction is open
        if (!isDatabaseError(error) || error.code !== '25P01')
            throw error;
        await client.query('begin');
        return { keep: 'commit', undo: 'rollback' };
    }
}
const isDatabaseError = (error) => error instanceof Error && 'code' in error && typeof error.code === 'string' && 'severity' in error;
async function rowsOf(client, { text, values }) {
    const result = await client.query({ text, values: [...values], rowMode: 'array', types: AS_TEXT });
    return result.rows;
}
const AS_TEXT = { getTypeParser: () => (text) => text };
