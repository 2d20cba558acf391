import { ServiceError } from '../../std/service-error.js';
import { invalidShape } from '../../storage/errors.js';
import { storageSettings } from '../../storage/settings.js';
import { bearerOf } from '../credentials.js';
/**
 * Who asks, for a route that wants a token. Called by handlers, so that a body or query which is wrong is told first.
 * @throws InvalidShape without a token; what authentication throws
 */
export async function callerOf(context, request, operation, without = 'header missing') {
    const token = bearerOf(request.headers, request.query);
    if (token === null && without === 'header missing')
        throw invalidShape("headers must have required property 'authorization'");
    return callAs(context, await context.authenticate(token ?? ''), request, operation);
}
/** For routes that look at no token: who holds a signed address, or reads what is public. */
export const anonymousCall = (context, request, operation) => callAs(context, context.anonymous, request, operation);
/** Who reads, for a route where a token is wanted. One whose role may not be taken on still reads what is public. */
export async function readerOf(context, request, operation) {
    try {
        return { call: await callerOf(context, request, operation), refusal: null };
    }
    catch (error) {
        if (!isUnknownRole(error))
            throw error;
        return { call: anonymousCall(context, request, operation), refusal: error };
    }
}
/** Who reads, for a route that does without: a token that is not accepted counts as none. */
export async function anyReaderOf(context, request, operation) {
    const token = bearerOf(request.headers, request.query);
    const as = token === null
        ? null
        : await context.authenticate(token).catch((error) => (error instanceof ServiceError ? null : Promise.reject(error)));
    return as
        ? { call: callAs(context, as, request, operation), refusal: null }
        : { call: anonymousCall(context, request, operation), refusal: 'nobody' };
}
function callAs(context, as, request, operation) {
    request.callerRole = as.role;
    const facts = { method: request.method, path: pathOf(context, request), headers: request.headers };
    return { as, settings: storageSettings(operation, facts) };
}
/** Path and query as clients and policies know them: without the prefix the routes are mounted at. */
export const pathOf = ({ mount }, request) => request.url.slice(mount.length);
const isUnknownRole = (error) => error instanceof ServiceError && error.code === 'UnknownRole';
