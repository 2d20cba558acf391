import type { IncomingHttpHeaders } from 'node:http';
import type { GraphqlRequest } from '../../graphql/operation/operation.ts';
/**
 * The request in a POST body (GraphQL over HTTP 6.3). Unknown members are ignored.
 * @throws ServiceError 400, or 415 for a body that is no JSON by its headers
 */
export declare function readBody(headers: IncomingHttpHeaders, body: unknown): GraphqlRequest;
/**
 * The request in the query string of a GET (GraphQL over HTTP 6.2): variables and extensions are JSON text there.
 * @throws ServiceError 400
 */
export declare function readQueryString(parameters: unknown): GraphqlRequest;
