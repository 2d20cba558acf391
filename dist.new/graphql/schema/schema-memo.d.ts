import type { Catalog } from '../../catalog/model.ts';
import type { RoleName } from '../../std/brand.ts';
import type { RoleSchema } from './role-schema.ts';
/** {@link reflectSchema}, remembered per catalog and role; a catalog that is no longer used takes its schemas with it. */
export declare function createSchemaMemo(): (catalog: Catalog, role: RoleName) => RoleSchema;
