import type { FastifyInstance } from 'fastify';
import type { RoleContext } from '../../auth/role-context.ts';
import type { GraphqlRequest } from '../../graphql/operation/operation.ts';
import type { Bytes } from '../../std/brand.ts';
export type GraphqlRouteDeps = {
    readonly authenticate: (token: string) => Promise<RoleContext>;
    /** `requestError`: nothing was executed, the request itself is at fault */
    readonly resolve: (as: RoleContext, request: GraphqlRequest, signal: AbortSignal) => Promise<{
        readonly text: string;
        readonly requestError: boolean;
    }>;
    /** null when the request is at fault, which `resolve` will tell */
    readonly operationKind: (request: GraphqlRequest) => 'query' | 'mutation' | 'subscription' | null;
    readonly maxBodyBytes: Bytes;
};
declare module 'fastify' {
    interface FastifyRequest {
        graphqlCaller: RoleContext | null;
    }
}
/**
 * `POST /graphql/v1`, and GET for queries, as GraphQL over HTTP has them. Call it in a context of its own: it sets body parsers and
 * an error handler.
 *
 * Under `application/json` every well-formed request is answered with 200. Under `application/graphql-response+json`, if the client
 * prefers it, requests of which nothing was executed are answered with 400 and without `data`.
 */
export declare function registerGraphqlRoute(app: FastifyInstance, deps: GraphqlRouteDeps): void;
