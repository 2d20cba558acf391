import type { Catalog, Column, ForeignKey, Grants, PgFunction, Relation } from '../../catalog/model.ts'
import type { FieldType } from './field-type.ts'

/** The GraphQL schema of all roles that may do the same: every field knows what it stands for. Built from catalog and grants only; lazy per entity. */
export type RoleSchema = {
  readonly catalog: Catalog
  readonly grants: Grants
  /** whether any schema of the search path opted into introspection */
  readonly introspection: boolean
  /** addressable relations by type name; of two with one name the first of the search path */
  readonly entities: ReadonlyMap<string, Entity>
  /** relations without a key of which some function of a row returns one row, by type name: they are read as that field alone */
  readonly rowTypes: ReadonlyMap<string, Entity>
  readonly query: ReadonlyMap<string, QueryField>
  /** empty: the role may change nothing, there is no type Mutation */
  readonly mutation: ReadonlyMap<string, MutationField>
}

/** A relation that the role may read. But for a row type its rows have keys. */
export type Entity = {
  readonly relation: Relation
  /** the type's name */
  readonly name: string
  readonly maxRows: number
  /** columns the role may read, that have a GraphQL type and a valid name */
  readonly columns: readonly ColumnField[]
  /** key columns the role may read: they end every order */
  readonly key: readonly Column[]
  /** whether the whole key is readable: only then rows have a nodeId */
  readonly addressable: boolean
  /** nodeId where there is a key, columns, foreign keys out, foreign keys in, computed; as introspection lists them: two of one name are both listed */
  readonly listed: readonly NodeField[]
  /** by name: of two of one name the last */
  readonly fields: ReadonlyMap<string, NodeField>
  readonly insertable: ReadonlyMap<string, ColumnField>
  readonly updatable: ReadonlyMap<string, ColumnField>
  readonly mayInsert: boolean
  readonly mayUpdate: boolean
  readonly mayDelete: boolean
  /** by name; without nodeId, and, or, not */
  readonly filters: ReadonlyMap<string, ColumnField>
  /** also columns of a type whose schema the role may not use: they can be sorted by without being shown */
  readonly orders: ReadonlyMap<string, OrderField>
  /** all columns, readable or not: PostgreSQL refuses to aggregate what may not be read */
  readonly aggregates: readonly ColumnField[]
}

export type OrderField = { readonly name: string; readonly column: Column }

export type ColumnField = { readonly name: string; readonly column: Column; readonly type: FieldType }

export type NodeField = { readonly name: string } & (
  | { readonly kind: 'node id' }
  | { readonly kind: 'column'; readonly column: ColumnField }
  | { readonly kind: 'to-one'; readonly join: Join; readonly entity: Entity; readonly nullable: boolean }
  | { readonly kind: 'to-many'; readonly join: Join; readonly entity: Entity }
  /** a column that holds a row of another entity */
  | { readonly kind: 'row'; readonly column: Column; readonly entity: Entity }
  | { readonly kind: 'computed'; readonly fn: PgFunction; readonly type: FieldType }
  | { readonly kind: 'computed to-one'; readonly fn: PgFunction; readonly entity: Entity }
  | { readonly kind: 'computed to-many'; readonly fn: PgFunction; readonly entity: Entity }
)

/** How rows of the field's relation are found from the row that has the field. */
export type Join = { readonly key: ForeignKey; readonly own: readonly Column[]; readonly other: readonly Column[] }

export type QueryField = { readonly name: string } & (
  | { readonly kind: 'collection'; readonly entity: Entity }
  | { readonly kind: 'by key'; readonly entity: Entity }
  | { readonly kind: 'node' }
  | { readonly kind: 'function'; readonly fn: RootFunction }
)

export type MutationField = { readonly name: string } & (
  | { readonly kind: 'insert' | 'update' | 'delete'; readonly entity: Entity }
  | { readonly kind: 'function'; readonly fn: RootFunction }
)

export type RootFunction = {
  readonly fn: PgFunction
  readonly args: readonly FunctionArg[]
  readonly returns:
    | { readonly kind: 'value'; readonly type: FieldType }
    | { readonly kind: 'node'; readonly entity: Entity }
    | { readonly kind: 'collection'; readonly entity: Entity }
}

export type FunctionArg = {
  readonly name: string
  readonly sqlName: string
  readonly type: FieldType
  /** null: must be given */
  readonly optional: boolean
  /** as introspection shows it */
  readonly defaultValue: string | null
}
