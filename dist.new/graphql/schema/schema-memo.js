import { reflectSchema } from './reflect-schema.js';
/** {@link reflectSchema}, remembered per catalog and role; a catalog that is no longer used takes its schemas with it. */
export function createSchemaMemo() {
    const known = new WeakMap();
    return (catalog, role) => {
        const byRole = known.get(catalog) ?? new Map();
        known.set(catalog, byRole);
        const found = byRole.get(role);
        if (found)
            return found;
        const schema = reflectSchema(catalog, role);
        byRole.set(role, schema);
        return schema;
    };
}
