import type { FieldNode, FragmentDefinitionNode, SelectionNode } from 'graphql'
import type { Json, JsonObject } from './json.ts'
import type { Guards, Value } from './value.ts'

export type GraphqlRequest = {
  readonly query: string
  /** `{}`: none given; anything but an object is refused, null too (HTTP takes null for none before it comes here) */
  readonly variables: Json
  readonly operationName: string | null
}

/** What the variables of one request come to: those supplied, and the defaults their operation declares for the others. */
export type Variables = { readonly supplied: JsonObject; readonly defaults: JsonObject }

/** The chosen operation and what its selections refer to. */
export type Operation = {
  readonly kind: 'query' | 'mutation'
  readonly selections: readonly SelectionNode[]
  readonly fragments: readonly FragmentDefinitionNode[]
  /** supplied variable, else its declared default, else absent */
  readonly variable: (name: string) => Value
  /** what `variable` looks into; `valueAt` and `holds` take the defaults from here and the supplied ones from the next request */
  readonly variables: Variables
  /** the declared type of a variable that has to be given, else null */
  readonly requiredType: (variable: string) => string | null
  readonly fragmentsByName: ReadonlyMap<string, readonly FragmentDefinitionNode[]>
  /** a field's arguments with variables put in, worked out once a field */
  readonly argumentsOf: (field: FieldNode) => SelectedField['args']
  /** counts a selection that was put in; @throws GraphqlError beyond the limit of one operation */
  readonly countSelection: (selection: SelectionNode) => void
  readonly guards: Guards
}

/** A field of a selection set after fragments, @skip, @include and merging. */
export type SelectedField = {
  readonly responseKey: string
  readonly name: string
  /** in document order, variables put in */
  readonly args: readonly { readonly name: string; readonly value: Value }[]
  /** the selection sets of all merged occurrences, one after another; empty: none was written */
  readonly selections: readonly SelectionNode[]
  /** 1-based place of the first occurrence, for `errors[].locations` */
  readonly line: number
  readonly column: number
}

/**
 * A request that cannot be answered: one message, in pg_graphql's words (reference for each in errors.ts).
 * `data: 'absent'` leaves the data key out of the answer, `null` sends it as null.
 */
export class GraphqlError extends Error {
  override readonly name = 'GraphqlError'
  readonly data: 'absent' | 'null'
  readonly line: number | null
  readonly column: number | null
  constructor(message: string, data: 'absent' | 'null' = 'null', place: { line: number; column: number } | null = null) {
    super(message)
    this.data = data
    this.line = place?.line ?? null
    this.column = place?.column ?? null
  }
}
