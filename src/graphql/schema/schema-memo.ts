import type { Catalog } from '../../catalog/model.ts'
import type { RoleName } from '../../std/brand.ts'
import { reflectSchema } from './reflect-schema.ts'
import type { RoleSchema } from './role-schema.ts'

/** {@link reflectSchema}, remembered per catalog and role; a catalog that is no longer used takes its schemas with it. */
export function createSchemaMemo(): (catalog: Catalog, role: RoleName) => RoleSchema {
  const known = new WeakMap<Catalog, Map<RoleName, RoleSchema>>()
  return (catalog, role) => {
    const byRole = known.get(catalog) ?? new Map<RoleName, RoleSchema>()
    known.set(catalog, byRole)
    const found = byRole.get(role)
    if (found) return found
    const schema = reflectSchema(catalog, role)
    byRole.set(role, schema)
    return schema
  }
}
