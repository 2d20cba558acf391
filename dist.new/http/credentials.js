/**
 * The session token of a request as it was sent: `Authorization: Bearer <token>` with the scheme in any case (RFC 9110 11.1), or the
 * bare token; else the query parameter `authorization`. The header wins, so that an address cannot lift a caller's rights.
 * null: neither is there. '' stands for one that is there and empty.
 */
export function bearerOf(headers, query) {
    if (headers.authorization !== undefined)
        return withoutScheme(headers.authorization);
    const parameter = inQuery(query);
    if (parameter === undefined)
        return null;
    return typeof parameter === 'string' ? withoutScheme(parameter) : '';
}
/** True if the query names a token, used or not: such an answer must stay out of caches. */
export const hasTokenInQuery = (query) => inQuery(query) !== undefined;
/** The header `apiKey` of GraphQL requests, in any case. */
export function apiKeyOf(headers) {
    const { apikey } = headers;
    return typeof apikey === 'string' ? apikey.trim() : null;
}
const withoutScheme = (text) => text.replace(/^\s*bearer(\s+|$)/i, '').trim();
const inQuery = (query) => typeof query === 'object' && query !== null && Object.hasOwn(query, 'authorization')
    ? query.authorization
    : undefined;
