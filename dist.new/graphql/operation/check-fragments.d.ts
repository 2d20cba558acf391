import type { FragmentDefinitionNode } from 'graphql';
/**
 * Refuses fragments that reach themselves, used or not, and those nested more than 50 deep. The definition counts 1, each
 * selection set inside and each spread followed 1 more (pg_graphql's count). Looks at every definition once.
 * @throws GraphqlError
 */
export declare function checkFragments(byName: ReadonlyMap<string, readonly FragmentDefinitionNode[]>): void;
