import type { IncomingHttpHeaders } from 'node:http';
/**
 * The session token of a request as it was sent: `Authorization: Bearer <token>` with the scheme in any case (RFC 9110 11.1), or the
 * bare token; else the query parameter `authorization`. The header wins, so that an address cannot lift a caller's rights.
 * null: neither is there. '' stands for one that is there and empty.
 */
export declare function bearerOf(headers: IncomingHttpHeaders, query: unknown): string | null;
/** True if the query names a token, used or not: such an answer must stay out of caches. */
export declare const hasTokenInQuery: (query: unknown) => boolean;
/** The header `apiKey` of GraphQL requests, in any case. */
export declare function apiKeyOf(headers: IncomingHttpHeaders): string | null;
