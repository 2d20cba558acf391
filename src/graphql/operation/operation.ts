import type { FragmentDefinitionNode, SelectionNode } from 'graphql'
import type { Guards, Value } from './value.ts'

/** Variables as they came: JSON with the text of its numbers kept. */
export type Json = null | boolean | JsonNumber | string | readonly Json[] | { readonly [key: string]: Json }
/** A JSON number by its text, `{ number: "9007199254740993" }`; a class, so that it is never taken for an object of the caller's. */
export class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type GraphqlRequest = {
  readonly query: string
  /** null: none given */
  readonly variables: Json
  readonly operationName: string | null
}

/** The chosen operation and what its selections refer to. */
export type Operation = {
  readonly kind: 'query' | 'mutation'
  readonly selections: readonly SelectionNode[]
  readonly fragments: readonly FragmentDefinitionNode[]
  /** supplied variable, else its declared default, else absent */
  readonly variable: (name: string) => Value
  /** supplied only: what @skip and @include look at (pg_graphql ignores declared defaults there) */
  readonly supplied: (name: string) => Value
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
