import type { GraphqlLimits } from './limits.ts';
/**
 * Looks a document over before it is parsed: one pass, no recursion, so that a hostile text costs its length and nothing else.
 * @throws GraphqlError when it is too long, its brackets nest too deep, or a string has the escape `\u{…}`, which pg_graphql's
 *   grammar (GraphQL October 2021) does not have
 */
export declare function scanDocument(text: string, limits: GraphqlLimits): void;
/** 1-based line and column of a UTF-16 index, as graphql-js counts them. */
export declare function placeAt(text: string, index: number): {
    readonly line: number;
    readonly column: number;
};
