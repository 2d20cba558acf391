import { type DirectiveDefinition, type TypeDefinition } from './type-system.ts';
/**
 * The types every schema has, whatever the tables: scalars, their filters, ordering, PageInfo, and the meta types.
 * Node, Query and Mutation depend on the tables. Order and descriptions are pg_graphql's.
 */
export declare function constantTypes(): readonly TypeDefinition[];
/** `include`, then `skip`. */
export declare const constantDirectives: () => readonly DirectiveDefinition[];
/** The filter of a scalar or an enum: `IntFilter` for `Int`. `operators` in the order in which they are listed. */
export declare const filterType: (type: string, operators: readonly FilterOperator[]) => TypeDefinition;
export declare const EQUALITY_OPERATORS: readonly ["eq", "in", "is", "neq"];
type FilterOperator = 'eq' | 'gt' | 'gte' | 'ilike' | 'in' | 'iregex' | 'is' | 'like' | 'lt' | 'lte' | 'neq' | 'regex' | 'startsWith';
export {};
