import type { Catalog, Grants, PgFunction, PgType, Relation } from '../../catalog/model.ts'
import { baseOf, fieldType } from './field-type.ts'
import { isCallable, returnsRows, rowOfReturn } from './function-facts.ts'
import { columnFieldName, functionFieldName, isValidName, lowerFirst } from './names.ts'
import type { Entity, FunctionArg, RootFunction } from './role-schema.ts'

/** Schemas of services, never of the application. */
const SERVICE_SCHEMAS: ReadonlySet<string> = new Set([
  'graphql',
  'graphql_public',
  'auth',
  'extensions',
  'storage',
  'stowage',
  'stowage_graphql',
])
const CONNECTION_ARGS: ReadonlySet<string> = new Set(['first', 'last', 'before', 'after', 'offset', 'filter', 'orderBy'])

/** Functions that are fields of Query (immutable, stable) or Mutation (volatile), by field name; pg_graphql's rules of exclusion. */
export function rootFunctions(
  catalog: Catalog,
  grants: Grants,
  entityOf: (relation: Relation) => Entity | undefined,
): ReadonlyMap<string, RootFunction> {
  const count = new Map<string, number>()
  for (const fn of catalog.functions) count.set(fn.name, (count.get(fn.name) ?? 0) + 1)
  const fields = new Map<string, RootFunction>()
  for (const fn of catalog.functions) {
    if (count.get(fn.name) !== 1 || !isCallable(grants, fn) || SERVICE_SCHEMAS.has(fn.schema.name)) continue
    const name = functionFieldName(fn.name, fn.directives.name, fn.schema.directives.inflectNames)
    const returns = returnKind(catalog, grants, fn, entityOf)
    const args = functionArgs(catalog, grants, fn)
    if (!isValidName(name) || !returns || !args) continue
    if (returns.kind === 'collection' && args.some((arg) => CONNECTION_ARGS.has(arg.name))) continue
    fields.set(name, { fn, args, returns })
  }
  return fields
}

function returnKind(
  catalog: Catalog,
  grants: Grants,
  fn: PgFunction,
  entityOf: (relation: Relation) => Entity | undefined,
): RootFunction['returns'] | null {
  if (!isOnPath(catalog, fn.returns)) return null
  const relation = rowOfReturn(catalog, fn)
  if (relation) {
    const entity = entityOf(relation)
    return entity ? { kind: returnsRows(fn) ? 'collection' : 'node', entity } : null
  }
  if (fn.returnsSet || (fn.returns.kind === 'pseudo' && fn.returns.name !== 'void')) return null
  const type = fieldType(catalog, grants, fn.returns)
  return type && !isEnum(catalog, fn.returns) ? { kind: 'value', type } : null
}

function functionArgs(catalog: Catalog, grants: Grants, fn: PgFunction): readonly FunctionArg[] | null {
  const defaults = splitDefaults(fn)
  const inflect = fn.schema.directives.inflectNames
  const args: FunctionArg[] = []
  for (const [i, arg] of fn.args.entries()) {
    const type = fieldType(catalog, grants, arg.type)
    const name = lowerFirst(columnFieldName(arg.name, null, inflect))
    if (arg.name === '' || !type || !isValidName(name) || arg.type.kind === 'pseudo' || fn.variadic) return null
    if (isEnum(catalog, arg.type) || !isOnPath(catalog, arg.type)) return null
    const given = defaults?.[i - (fn.args.length - fn.defaults)]
    args.push({
      name,
      sqlName: arg.name,
      type,
      optional: given !== undefined,
      defaultValue: given === undefined ? null : defaultLiteral(given, arg.type),
    })
  }
  return args
}

const isEnum = (catalog: Catalog, type: PgType): boolean =>
  baseOf(catalog, type).kind === 'enum' || (type.element !== null && catalog.types.get(type.element)?.kind === 'enum')

const isOnPath = (catalog: Catalog, type: PgType): boolean =>
  type.schema === 'pg_catalog' || catalog.schemas.some((schema) => schema.name === type.schema)

/** Defaults as pg_graphql reads them: split at commas, and when that count is wrong (a comma inside a literal) none counts. */
function splitDefaults(fn: PgFunction): readonly string[] | null {
  if (fn.defaultsText === null || fn.defaults === 0) return null
  const parts = fn.defaultsText.split(',').map((part) => part.trim())
  return parts.length === fn.defaults ? parts : null
}

/** A default that introspection can show: number, boolean and text literals. */
function defaultLiteral(sql: string, type: PgType): string | null {
  switch (type.sql) {
    case 'integer':
    case 'smallint':
      return /^\d+$/.test(sql) ? sql : null
    case 'real':
    case 'double precision':
      return /^\d+(\.\d+)?$/.test(sql) ? sql : null
    case 'boolean':
      return sql === 'true' || sql === 'false' ? sql : null
    case 'text': {
      const quoted = /^'((?:[^']|'')*)'::text$/.exec(sql)
      return quoted?.[1] === undefined ? null : JSON.stringify(quoted[1].replaceAll("''", "'"))
    }
    default:
      return null
  }
}
