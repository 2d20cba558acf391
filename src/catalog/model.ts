import type { Brand } from '../std/brand.ts'
import type {
  ColumnDirectives,
  EnumDirectives,
  ForeignKeyDirectives,
  FunctionDirectives,
  RelationDirectives,
  SchemaDirectives,
} from './directives.ts'

/** What the database is, as far as the search path shows it. Plain data, never changed, shared by all requests of a version. */
export type Catalog = {
  /** text of the bit_xor of stowage_graphql.schema_version; '' when the database was looked at without the extension's table */
  readonly version: string
  /** in search path order */
  readonly schemas: readonly Schema[]
  readonly relations: ReadonlyMap<Oid, Relation>
  /** real ones in order of creation, then those declared by comment */
  readonly foreignKeys: readonly ForeignKey[]
  readonly types: ReadonlyMap<Oid, PgType>
  readonly functions: readonly PgFunction[]
  /** comment directives that could not be read: the message a request gets, or null when only that directive is left out */
  readonly directiveError: string | null
}

export type Oid = Brand<number, 'Oid'>

export type Schema = { readonly oid: Oid; readonly name: string; readonly directives: SchemaDirectives }

export type RelationKind = 'table' | 'view' | 'materialized view' | 'foreign table' | 'partitioned table'

export type Relation = {
  readonly oid: Oid
  readonly schema: Schema
  readonly name: string
  readonly kind: RelationKind
  readonly rowType: Oid
  readonly rowSecurity: boolean
  /** in table order */
  readonly columns: readonly Column[]
  /** in table order; from a comment in the comment's order; empty: rows cannot be addressed */
  readonly primaryKey: readonly Column[]
  /** column sets of unique indexes without predicate, expressions and INCLUDE: pg_graphql counts included columns as of the key, so along such an index it names many */
  readonly uniqueKeys: readonly (readonly Column[])[]
  readonly indexOrders: readonly IndexOrder[]
  readonly directives: RelationDirectives
}

/** What a B-tree is ordered by, up to the first expression. */
export type IndexOrder = {
  readonly columns: readonly IndexColumn[]
  /** by its predicate; "with a value": where its first column is not null */
  readonly covers: 'all rows' | 'rows with a value' | 'some rows'
}

/**
 * `nullsPlaced`: nulls are where PostgreSQL does not put them by itself (last ascending, first descending); an index serves no order that has them
 * elsewhere, whether there are any or not.
 */
export type IndexColumn = { readonly column: Column; readonly descending: boolean; readonly nullsPlaced: boolean }

export type Column = {
  readonly number: number
  readonly name: string
  readonly type: PgType
  /** characters at most, for varchar(n) and char(n) */
  readonly maxLength: number | null
  readonly notNull: boolean
  readonly generated: boolean
  /** identity, or a sequence of its own behind the default */
  readonly serial: boolean
  /** the declared type with its modifier, as SQL */
  readonly declared: string
  readonly directives: ColumnDirectives
}

export type ForeignKey = {
  readonly from: Relation
  readonly fromColumns: readonly Column[]
  readonly to: Relation
  readonly toColumns: readonly Column[]
  readonly directives: ForeignKeyDirectives
  /** declared by comment, not by a constraint */
  readonly declared: boolean
}

export type PgType = {
  readonly oid: Oid
  readonly schema: string
  readonly name: string
  readonly kind: 'base' | 'composite' | 'domain' | 'enum' | 'pseudo' | 'range' | 'multirange'
  /** of an array: its elements' type */
  readonly element: Oid | null
  /** of a domain: what it is over */
  readonly base: Oid | null
  /** of a composite: the relation it is the row of, or a composite of its own */
  readonly relation: Oid | null
  /** of an enum, in its order */
  readonly labels: readonly string[]
  readonly directives: EnumDirectives
  /** as SQL, schema-qualified outside pg_catalog */
  readonly sql: string
  /** what stands between elements in the text of an array of it: a comma, but of some geometric types */
  readonly delimiter: string
}

export type PgFunction = {
  readonly oid: Oid
  readonly schema: Schema
  readonly name: string
  readonly args: readonly { readonly name: string; readonly type: PgType }[]
  /** how many of the last arguments have a default */
  readonly defaults: number
  /** the defaults as PostgreSQL prints them, in one text; null: none */
  readonly defaultsText: string | null
  readonly returns: PgType
  readonly returnsSet: boolean
  /** the planner's estimate; `rows 1` makes a set-returning function a to-one */
  readonly rows: number
  readonly volatility: 'immutable' | 'stable' | 'volatile'
  readonly variadic: boolean
  /** PostgreSQL may put its query in place of a call in `from`; others are run to their end each time */
  readonly isInlined: boolean
  readonly directives: FunctionDirectives
}

/** PostgreSQL's answers for one role, never computed by us. */
export type Grants = {
  /** names of those with USAGE, on the search path or not */
  readonly schemas: ReadonlySet<string>
  /** types without USAGE; of arrays and rows nothing is said */
  readonly closedTypes: ReadonlySet<Oid>
  readonly functions: ReadonlySet<Oid>
  /** none for what the role may not read any column of */
  readonly relations: ReadonlyMap<Oid, RelationGrants>
}

/** `all`, or the numbers of the permitted columns */
export type ColumnGrant = 'all' | ReadonlySet<number>

export type RelationGrants = {
  readonly select: ColumnGrant
  readonly insert: ColumnGrant
  readonly update: ColumnGrant
  readonly delete: boolean
}

export const permits = (grant: ColumnGrant, column: Column): boolean => grant === 'all' || grant.has(column.number)
