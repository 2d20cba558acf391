import { baseName } from './names.js';
import { list, named } from './type-system.js';
const BY_OID = {
    16: 'Boolean',
    18: 'String',
    20: 'BigInt',
    21: 'Int',
    23: 'Int',
    25: 'String',
    114: 'JSON',
    700: 'Float',
    701: 'Float',
    1042: 'String',
    1043: 'String',
    1082: 'Date',
    1083: 'Time',
    1114: 'Datetime',
    1184: 'Datetime',
    1700: 'BigFloat',
    2950: 'UUID',
    3802: 'JSON',
};
/**
 * pg_graphql's type map. `null`: the type has no place in the schema (composites, arrays of them, domains over arrays, and what
 * the role may not use).
 */
export function fieldType(catalog, grants, type) {
    if (!grants.typeSchemas.has(type.oid))
        return null;
    if (type.element !== null && isArray(type)) {
        const element = catalog.types.get(type.element);
        if (!element || !grants.types.has(element.oid))
            return null;
        const of = leafType(catalog, grants, element);
        return of && { kind: 'list', of, pg: type };
    }
    return leafType(catalog, grants, type);
}
/** int2vector, oidvector, point and their like have elements without being arrays. */
const isArray = (type) => type.name.startsWith('_') || type.sql.endsWith('[]');
function leafType(catalog, grants, type) {
    if (type.kind === 'composite' || !grants.typeSchemas.has(type.oid))
        return null;
    if (type.kind === 'domain') {
        const base = type.base === null ? undefined : catalog.types.get(type.base);
        if (base && (isArray(base) || base.kind === 'composite'))
            return null;
        return { kind: 'scalar', name: 'Opaque', pg: type };
    }
    if (type.kind === 'enum') {
        const schema = catalog.schemas.find((candidate) => candidate.name === type.schema);
        if (!schema || !grants.schemas.has(schema.oid))
            return { kind: 'scalar', name: 'Opaque', pg: type };
        const name = baseName(type.name, type.directives.name, schema.directives.inflectNames);
        const values = type.labels.map((label) => ({ label, name: type.directives.mappings?.get(label) ?? label }));
        return { kind: 'enum', name, values, pg: type };
    }
    const name = BY_OID[type.oid] ?? (type.name === 'citext' ? 'String' : 'Opaque');
    return { kind: 'scalar', name, pg: type };
}
export const typeRef = (type) => (type.kind === 'list' ? list(named(type.of.name)) : named(type.name));
/** The name that coercion errors use. */
export const typeName = (type) => type.name;
/** json and jsonb have no order and no filter. Opaque types are offered even where PostgreSQL cannot compare them: `is` works. */
export const isFilterable = (type) => type.kind === 'list' ? type.of.kind === 'scalar' && type.of.name !== 'JSON' && type.of.name !== 'Opaque' : isOrderable(type);
export const isOrderable = (type) => type.kind === 'enum' || (type.kind === 'scalar' && type.name !== 'JSON');
