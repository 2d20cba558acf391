import type { FieldType } from './field-type.ts';
export type FilterOperator = 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'is' | 'startsWith' | 'like' | 'ilike' | 'regex' | 'iregex' | 'contains' | 'containedBy' | 'overlaps';
/** The operators of a type's filter, pg_graphql's. */
export declare function filterOperators(type: FieldType): readonly FilterOperator[];
export declare const filterTypeName: (type: FieldType) => string;
