import type { Catalog, Grants, PgType } from '../../catalog/model.ts'
import { baseName, isValidEnumValue, isValidName } from './names.ts'
import { list, named, type TypeRef } from './type-system.ts'

export type ScalarName =
  | 'Int'
  | 'Float'
  | 'String'
  | 'Boolean'
  | 'BigInt'
  | 'BigFloat'
  | 'Date'
  | 'Time'
  | 'Datetime'
  | 'UUID'
  | 'JSON'
  | 'Opaque'

/** What a PostgreSQL type is in GraphQL. */
export type FieldType = LeafType | { readonly kind: 'list'; readonly of: LeafType; readonly pg: PgType }
export type LeafType =
  | { readonly kind: 'scalar'; readonly name: ScalarName; readonly pg: PgType }
  | { readonly kind: 'enum'; readonly name: string; readonly values: readonly EnumValue[]; readonly pg: PgType }
export type EnumValue = { readonly label: string; readonly name: string }

const BY_OID: Readonly<Record<number, ScalarName>> = {
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
}

/**
 * pg_graphql's type map. `null`: the type has no place in the schema (composites, arrays of them, domains over arrays, and what
 * the role may not use).
 */
export function fieldType(catalog: Catalog, grants: Grants, type: PgType): FieldType | null {
  if (!grants.schemas.has(type.schema)) return null
  if (type.element !== null && isArray(type)) {
    const element = catalog.types.get(type.element)
    if (!element || grants.closedTypes.has(element.oid)) return null
    const of = leafType(catalog, grants, element)
    return of && { kind: 'list', of, pg: type }
  }
  return leafType(catalog, grants, type)
}

/** int2vector, oidvector, point and their like have elements without being arrays. */
const isArray = (type: PgType): boolean => type.name.startsWith('_') || type.sql.endsWith('[]')

/** What a domain is of, also through others; any other type is of itself. */
export function baseOf(catalog: Catalog, type: PgType): PgType {
  const base = type.kind === 'domain' && type.base !== null ? catalog.types.get(type.base) : undefined
  return base ? baseOf(catalog, base) : type
}

function leafType(catalog: Catalog, grants: Grants, type: PgType): LeafType | null {
  if (type.kind === 'composite' || !grants.schemas.has(type.schema)) return null
  if (type.kind === 'domain') {
    const base = baseOf(catalog, type)
    if (isArray(base) || base.kind === 'composite') return null
    return { kind: 'scalar', name: 'Opaque', pg: type }
  }
  if (type.kind === 'enum') {
    const schema = catalog.schemas.find((candidate) => candidate.name === type.schema)
    if (!schema || !grants.schemas.has(schema.name)) return { kind: 'scalar', name: 'Opaque', pg: type }
    const name = baseName(type.name, type.directives.name, schema.directives.inflectNames)
    const values = type.labels.map((label) => ({ label, name: type.directives.mappings?.get(label) ?? label }))
    // a schema that refers to a name or a label that is none cannot be read by any tool
    return isValidName(name) && values.some((value) => isValidEnumValue(value.name))
      ? { kind: 'enum', name, values, pg: type }
      : { kind: 'scalar', name: 'Opaque', pg: type }
  }
  const name = BY_OID[type.oid] ?? (type.name === 'citext' ? 'String' : 'Opaque')
  return { kind: 'scalar', name, pg: type }
}

export const typeRef = (type: FieldType): TypeRef => (type.kind === 'list' ? list(named(type.of.name)) : named(type.name))

/** The name that coercion errors use. */
export const typeName = (type: LeafType): string => type.name

/** json and jsonb have no filter. Opaque types are offered even where PostgreSQL cannot compare them: `is` works. */
export const isFilterable = (type: FieldType): boolean =>
  type.kind === 'list'
    ? type.of.kind === 'scalar' && type.of.name !== 'JSON' && type.of.name !== 'Opaque'
    : type.kind === 'enum' || type.name !== 'JSON'

/** Lists, composites, json and jsonb have no order. */
export const isOrderable = (type: PgType): boolean => type.element === null && type.kind !== 'composite' && BY_OID[type.oid] !== 'JSON'
