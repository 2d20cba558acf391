/**
 * What comments say: `@graphql({...})`, up to the last parenthesis of the comment.
 *
 * A text that is not JSON is left out (pg_graphql fails every request then); JSON of the wrong form raises
 * {@link DirectiveError}, which every request answers, as pg_graphql does.
 */

export type SchemaDirectives = { readonly inflectNames: boolean; readonly maxRows: number; readonly introspection: boolean }
export type RelationDirectives = {
  readonly name: string | null
  readonly description: string | null
  readonly totalCount: boolean
  readonly aggregate: boolean
  /** of a partitioned table: show it in introspection */
  readonly introspection: boolean
  readonly maxRows: number | null
  readonly primaryKeyColumns: readonly string[] | null
  readonly foreignKeys: readonly DeclaredForeignKey[]
}
export type DeclaredForeignKey = {
  readonly localName: string | null
  readonly localColumns: readonly string[]
  readonly foreignName: string | null
  readonly foreignSchema: string
  readonly foreignTable: string
  readonly foreignColumns: readonly string[]
}
export type ColumnDirectives = { readonly name: string | null; readonly description: string | null }
export type FunctionDirectives = ColumnDirectives
export type ForeignKeyDirectives = { readonly localName: string | null; readonly foreignName: string | null }
export type EnumDirectives = { readonly name: string | null; readonly mappings: ReadonlyMap<string, string> | null }

export class DirectiveError extends Error {
  override readonly name = 'DirectiveError'
}

const DEFAULT_MAX_ROWS = 30

type JsonObject = { readonly [key: string]: unknown }

function directiveOf(comment: string | null): JsonObject {
  if (comment === null || !comment.includes('@graphql(')) return {}
  const found = /@graphql\(([\s\S]+)\)/.exec(comment)
  if (!found?.[1]) return {}
  try {
    const parsed: unknown = JSON.parse(found[1])
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

export function schemaDirectives(comment: string | null): SchemaDirectives {
  const json = directiveOf(comment)
  return {
    inflectNames: json.inflect_names === true,
    maxRows: unsigned(json.max_rows) ?? DEFAULT_MAX_ROWS,
    introspection: json.introspection === true,
  }
}

export function relationDirectives(comment: string | null): RelationDirectives {
  const json = directiveOf(comment)
  return {
    name: text(json.name),
    description: text(json.description),
    totalCount: enabled(json.totalCount),
    aggregate: enabled(json.aggregate),
    introspection: json.introspection === true,
    maxRows: unsigned(json.max_rows),
    primaryKeyColumns: json.primary_key_columns == null ? null : texts(json.primary_key_columns),
    foreignKeys: json.foreign_keys == null ? [] : sequence(json.foreign_keys).map(declaredForeignKey),
  }
}

function declaredForeignKey(item: unknown): DeclaredForeignKey {
  if (!isObject(item)) throw new DirectiveError(`invalid type: ${described(item)}, expected struct ForeignKey`)
  const required = (key: string): unknown => {
    if (item[key] === undefined) throw new DirectiveError(`missing field \`${key}\``)
    return item[key]
  }
  return {
    localName: text(item.local_name),
    localColumns: texts(required('local_columns')),
    foreignName: text(item.foreign_name),
    foreignSchema: String(required('foreign_schema')),
    foreignTable: String(required('foreign_table')),
    foreignColumns: texts(required('foreign_columns')),
  }
}

export function columnDirectives(comment: string | null): ColumnDirectives {
  if (comment === null) return NO_COLUMN_DIRECTIVES
  const json = directiveOf(comment)
  return { name: text(json.name), description: text(json.description) }
}

/** Most columns have no comment. */
const NO_COLUMN_DIRECTIVES: ColumnDirectives = { name: null, description: null }

export const functionDirectives: (comment: string | null) => FunctionDirectives = columnDirectives

export function foreignKeyDirectives(comment: string | null): ForeignKeyDirectives {
  const json = directiveOf(comment)
  return { localName: text(json.local_name), foreignName: text(json.foreign_name) }
}

export function enumDirectives(comment: string | null): EnumDirectives {
  if (comment === null) return NO_ENUM_DIRECTIVES
  const json = directiveOf(comment)
  const mappings = isObject(json.mappings)
    ? Object.entries(json.mappings).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : null
  return { name: text(json.name), mappings: mappings && new Map(mappings) }
}

const NO_ENUM_DIRECTIVES: EnumDirectives = { name: null, mappings: null }

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A name of another type than text makes no valid name, so whatever bears it disappears, as with pg_graphql. */
const text = (value: unknown): string | null => (value == null ? null : typeof value === 'string' ? value : JSON.stringify(value))

const enabled = (value: unknown): boolean => isObject(value) && (value.enabled === true || value.enabled === 'true')

/** pg_graphql takes the number as text, too. */
function unsigned(value: unknown): number | null {
  if (value == null) return null
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number)) {
    if (number < 0) throw new DirectiveError(`invalid value: integer \`${number}\`, expected u64`)
    return number
  }
  throw new DirectiveError(`invalid type: ${described(value)}, expected u64`)
}

function sequence(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new DirectiveError(`invalid type: ${described(value)}, expected a sequence`)
  return value
}

function texts(value: unknown): readonly string[] {
  return sequence(value).map((item) => {
    if (typeof item !== 'string') throw new DirectiveError(`invalid type: ${described(item)}, expected a string`)
    return item
  })
}

/** A value in the words of pg_graphql's reader. */
function described(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`
  if (typeof value === 'boolean') return `boolean \`${value}\``
  if (typeof value === 'number') return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``
  return Array.isArray(value) ? 'sequence' : 'map'
}
