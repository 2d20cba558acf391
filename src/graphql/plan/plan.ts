import type { Column, PgFunction, Relation } from '../../catalog/model.ts'
import type { PgText } from '../../sqltext/sql.ts'
import type { Variables } from '../operation/operation.ts'
import type { AggregateFunction } from '../schema/aggregate-columns.ts'
import type { EnumValue } from '../schema/field-type.ts'

/**
 * What is to be done, complete: the compiler looks at nothing else. A closed union, printable.
 */
export type Plan =
  | { readonly kind: 'query'; readonly roots: readonly RootPlan[] }
  | { readonly kind: 'mutation'; readonly steps: readonly RootPlan[] }

/** A value to bind, as text. `rebind` finds it anew in another request's variables; null: it is a constant of the document. */
export type BoundParam = {
  readonly text: PgText
  readonly rebind: ((variables: Variables) => PgText) | null
  /** the operands of a filter, as an array */
  readonly isList?: true
}

export type RootPlan = { readonly key: string } & (
  | { readonly kind: 'literal'; readonly json: string }
  | { readonly kind: 'collection'; readonly collection: CollectionPlan }
  /** one row: by key, by nodeId, or what a function returns; null when there is none */
  | { readonly kind: 'record'; readonly source: Source; readonly where: Predicate; readonly node: NodePlan }
  | { readonly kind: 'value'; readonly source: FunctionSource; readonly encoding: Encoding }
  | InsertPlan
  | UpdatePlan
  | DeletePlan
)

export type InsertPlan = {
  readonly kind: 'insert'
  readonly relation: Relation
  readonly columns: readonly Column[]
  readonly values: InsertedValues
  readonly returning: Returning
}
export type InsertedValues =
  /** per row one value a column; null: the column's default */
  | { readonly kind: 'rows'; readonly rows: readonly (readonly (BoundParam | null)[])[] }
  /** per column an array, a value a row: one statement for any number of rows */
  | { readonly kind: 'arrays'; readonly count: number; readonly arrays: readonly ColumnArray[] }
/** `asText`: its elements are texts of the column's values, since an array of arrays has no arrays in it */
export type ColumnArray = { readonly column: Column; readonly array: BoundParam; readonly asText: boolean }
export type UpdatePlan = {
  readonly kind: 'update'
  readonly relation: Relation
  readonly set: readonly { readonly column: Column; readonly operand: BoundParam }[]
  readonly where: Predicate
  readonly atMost: number
  readonly returning: Returning
}
export type DeletePlan = {
  readonly kind: 'delete'
  readonly relation: Relation
  readonly where: Predicate
  readonly atMost: number
  readonly returning: Returning
}

/** What of the changed rows is answered. `touch`: a readable column, asked for so that policies on reading apply as with pg_graphql. */
export type Returning = {
  readonly touch: Column
  readonly fields: readonly ({ readonly key: string } & (
    | Literal
    | { readonly kind: 'affected count' }
    | { readonly kind: 'records'; readonly node: NodePlan }
  ))[]
}

type Literal = { readonly kind: 'literal'; readonly json: string }

export type Source = { readonly kind: 'relation'; readonly relation: Relation } | FunctionSource | RowFunctionSource

/** `once`: the function changes things, or PostgreSQL cannot look into it: it is called once and its rows kept */
export type FunctionSource = {
  readonly kind: 'function'
  readonly fn: PgFunction
  readonly args: readonly { readonly name: string; readonly cast: string; readonly operand: BoundParam }[]
  readonly once: boolean
}
/** A function of the row around it. */
export type RowFunctionSource = { readonly kind: 'row function'; readonly fn: PgFunction }

/** Column pairs: a column of the row around, and the one of this relation that equals it. */
export type JoinColumns = readonly { readonly outer: Column; readonly inner: Column }[]

export type CollectionPlan = {
  readonly source: Source
  /** whose rows these are: the relation's, or that of the function's row type */
  readonly relation: Relation
  /** empty: not bound to a row around it */
  readonly join: JoinColumns
  readonly where: Predicate
  readonly order: readonly OrderTerm[]
  readonly page: Page
  readonly select: readonly ConnectionField[]
}

export type OrderTerm = { readonly column: Column; readonly direction: 'asc' | 'desc'; readonly nulls: 'first' | 'last' }

export type Page = {
  readonly rows: number
  readonly from: 'start' | 'end'
  readonly offset: BoundParam | null
  /** the row to go on from: values for the first terms of the order; null: from the first or last row */
  readonly cursor: readonly CursorValue[] | null
}
export type CursorValue = { readonly isNull: true } | { readonly isNull: false; readonly operand: BoundParam }

export type ConnectionField = { readonly key: string } & (
  | Literal
  | { readonly kind: 'edges'; readonly fields: readonly EdgeField[] }
  | { readonly kind: 'page info'; readonly fields: readonly PageInfoField[] }
  | { readonly kind: 'total count' }
  | { readonly kind: 'aggregate'; readonly fields: readonly AggregateField[] }
)
export type EdgeField = { readonly key: string } & (
  | Literal
  | { readonly kind: 'cursor' }
  | { readonly kind: 'node'; readonly node: NodePlan }
)
export type PageInfoField = { readonly key: string } & (
  | Literal
  | { readonly kind: 'has next page' | 'has previous page' | 'start cursor' | 'end cursor' }
)
export type AggregateField = { readonly key: string } & (
  | Literal
  | { readonly kind: 'count' }
  | { readonly kind: 'of columns'; readonly fields: readonly AggregateColumn[] }
)
export type AggregateColumn = { readonly key: string } & (
  | Literal
  | { readonly kind: 'column'; readonly column: Column; readonly fn: AggregateFunction }
)

export type NodePlan = { readonly relation: Relation; readonly fields: readonly NodeSelection[] }

export type NodeSelection = { readonly key: string } & (
  | Literal
  | { readonly kind: 'column'; readonly column: Column; readonly encoding: Encoding }
  | { readonly kind: 'node id' }
  /** `first`: nothing says that there is at most one such row, so the first is taken */
  | { readonly kind: 'to-one'; readonly join: JoinColumns; readonly first: boolean; readonly node: NodePlan }
  | { readonly kind: 'to-many'; readonly collection: CollectionPlan }
  /** the row that a column holds */
  | { readonly kind: 'row'; readonly column: Column; readonly node: NodePlan }
  | { readonly kind: 'computed'; readonly fn: PgFunction; readonly encoding: Encoding }
  | { readonly kind: 'computed to-one'; readonly fn: PgFunction; readonly node: NodePlan }
)

/** How a value becomes JSON text. */
export type Encoding =
  /** its text is JSON already: small integers, booleans */
  | { readonly kind: 'bare' }
  /** its text needs quotes but no escapes: bigint, numeric, uuid */
  | { readonly kind: 'quoted' }
  /** PostgreSQL's to_json */
  | { readonly kind: 'json' }
  /** a string that holds the document: json, jsonb. Of a JSON string it is the string, of JSON's null it is null */
  | { readonly kind: 'text' }
  /** a list of strings: bigint[], numeric[], json[] */
  | { readonly kind: 'texts' }
  | { readonly kind: 'enum'; readonly values: readonly EnumValue[] }

export type CompareOperator = '=' | '<>' | '<' | '<=' | '>' | '>=' | '^@' | 'like' | 'ilike' | '~' | '~*' | '@>' | '<@' | '&&'

export type Predicate =
  | { readonly kind: 'compare'; readonly column: Column; readonly operator: CompareOperator; readonly operand: BoundParam }
  | { readonly kind: 'in'; readonly column: Column; readonly operands: BoundParam }
  | { readonly kind: 'is null'; readonly column: Column; readonly negated: boolean }
  /** no terms: true */
  | { readonly kind: 'and'; readonly terms: readonly Predicate[] }
  /** at least one term */
  | { readonly kind: 'or'; readonly terms: readonly Predicate[] }
  | { readonly kind: 'not'; readonly term: Predicate }

export const EVERY_ROW: Predicate = { kind: 'and', terms: [] }
