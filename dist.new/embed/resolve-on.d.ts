import { type GraphqlLimits } from '../graphql/operation/limits.ts';
/** What is needed of a client of the package pg: `query` with `rowMode: 'array'`. */
export type EmbeddingClient = {
    query(query: {
        text: string;
        values?: unknown[];
        rowMode: 'array';
        types: {
            getTypeParser(): (text: string) => string;
        };
    }): Promise<{
        rows: unknown[][];
    }>;
    query(text: string): Promise<unknown>;
};
export type EmbeddedRequest = {
    readonly query: string;
    readonly variables?: unknown;
    readonly operationName?: string | null | undefined;
};
export type EmbeddedGraphql = {
    /**
     * Answers a GraphQL request on a client of the caller's: in its transaction, if it has one open, with its role and search path,
     * seeing its uncommitted changes of data and schema.
     * @returns the response body, JSON text
     */
    readonly resolveOn: (client: EmbeddingClient, request: EmbeddedRequest) => Promise<string>;
};
/** The GraphQL compiler for a program that has PostgreSQL connections of its own. The database needs stowage_graphql. */
export declare function createGraphql(options?: {
    readonly limits?: Partial<GraphqlLimits>;
}): EmbeddedGraphql;
