import { isMissingExtension } from '../catalog/missing-extension.js';
import { PgError } from '../pg/pg-error.js';
import { STALE_CATALOG } from '../pg/scoped-batch.js';
import { GraphqlError } from './operation/operation.js';
import { prepareRequest } from './prepare.js';
import { respond, respondDatabaseError, respondError } from './respond.js';
/** How often a request is compiled anew when the schema changes under it before it gives up. */
const MAX_ATTEMPTS = 20;
/**
 * One GraphQL request -> response body, in one round trip. The preamble refuses the batch when the schema has moved on since the
 * plan was made; then nothing has run, and the request is planned again against a newer catalog.
 * @throws PgUnavailable, PgCancelled, ServiceError when there is nothing GraphQL could answer
 */
export async function resolve(deps, as, request, signal) {
    let catalog = await deps.catalog.current();
    for (let attempt = 1;; attempt++) {
        try {
            return await resolveAgainst(deps, catalog, as, request, signal);
        }
        catch (error) {
            if (!isStale(error) || attempt === MAX_ATTEMPTS)
                throw error;
            catalog = await deps.catalog.after(catalog);
        }
    }
}
const isStale = (error) => error instanceof PgError && error.statement < 0 && (error.sqlstate === STALE_CATALOG || isMissingExtension(error));
async function resolveAgainst(deps, catalog, as, request, signal) {
    const scope = { as, settings: [], searchPath: deps.searchPath, catalogVersion: catalog.version, end: 'commit' };
    // an answer that needs no statement (an unknown field, introspection) may still come from an old schema: ask for the version alone
    const confirmed = () => deps.run({ ...scope, access: 'read only', statements: [] }, signal);
    let prepared;
    try {
        if (catalog.directiveError !== null)
            throw new GraphqlError(directiveMessage(catalog.directiveError), 'absent');
        prepared = prepareRequest(deps, deps.schemaOf(catalog, as.role), request);
    }
    catch (error) {
        if (!(error instanceof GraphqlError))
            throw error;
        await confirmed();
        return { text: respondError(error), requestError: true };
    }
    const { kind, statements, parts, errors } = prepared;
    const failed = kind === 'mutation' ? errors[0] : undefined;
    if (statements.length === 0) {
        await confirmed();
        return { text: failed ? respondError(failed.error) : respond(parts, [], errors), requestError: errors.length > 0 && parts.length === 0 };
    }
    try {
        // steps before a refused one are tried and undone: if one of them fails, that is the error to tell
        const end = failed ? 'roll back' : 'commit';
        const rows = await deps.run({ ...scope, end, access: kind === 'query' ? 'read only' : 'read write', statements }, signal);
        if (failed)
            return { text: respondError(failed.error), requestError: true };
        return { text: respond(parts, rows.map(([row]) => row ?? []), errors), requestError: false };
    }
    catch (error) {
        if (!(error instanceof PgError) || isStale(error))
            throw error;
        return { text: respondDatabaseError(error.message, error.sqlstate), requestError: false };
    }
}
export const directiveMessage = (detail) => `Error while loading schema, check comment directives. ${detail}`;
