import type { Catalog } from '../../catalog/model.ts';
import type { RoleName } from '../../std/brand.ts';
import type { RoleSchema } from './role-schema.ts';
/** What the role sees of the catalog, by pg_graphql's rules of exposure and naming. Nothing is decided here that PostgreSQL decides. */
export declare function reflectSchema(catalog: Catalog, role: RoleName): RoleSchema;
