import { type TypeDefinition } from './type-system.ts';
/**
 * The eight types that describe types. Descriptions are pg_graphql's, its slips included: a backslash and an n where a line
 * break was meant, `__Type` ending in the middle of its last sentence. Clients compare introspections.
 */
export declare function metaTypes(): readonly TypeDefinition[];
