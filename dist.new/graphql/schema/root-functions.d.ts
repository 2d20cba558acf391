import type { Catalog, Grants, Relation } from '../../catalog/model.ts';
import type { Entity, RootFunction } from './role-schema.ts';
/** Functions that are fields of Query (immutable, stable) or Mutation (volatile), by field name; pg_graphql's rules of exclusion. */
export declare function rootFunctions(catalog: Catalog, grants: Grants, entityOf: (relation: Relation) => Entity | undefined): ReadonlyMap<string, RootFunction>;
