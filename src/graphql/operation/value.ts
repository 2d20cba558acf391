import type { Json } from './json.ts'

/**
 * An argument's value with its variables put in. Enum words and strings are one kind, as pg_graphql has it;
 * numbers keep their text, so that 64-bit integers survive.
 *
 * `origin` says which part of the variables the value came from. A value that came from a variable may be another one in the
 * next request for the same document: whoever decides anything by it records that decision as a {@link Guard}.
 */
export type Value = { readonly origin: Origin | null } & (
  | { readonly kind: 'absent' }
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Value> }
)

export type ValueKind = Value['kind']

/** A place inside the variables: `$order[0].name` is `name` within `0` within the variable `order`. */
export type Origin = { readonly variable: string } | { readonly within: Origin; readonly step: string | number }

/** What a plan took for granted about the variables. A cached plan serves a request whose variables satisfy all of its guards. */
export type Guard = { readonly origin: Origin } & (
  | { readonly fact: 'kind'; readonly kind: ValueKind }
  | { readonly fact: 'equals'; readonly value: string | boolean }
  | { readonly fact: 'keys'; readonly keys: readonly string[] }
  | { readonly fact: 'length'; readonly length: number }
  /** anything else: `test` looks at the value at the origin, undefined when there is none */
  | { readonly fact: 'passes'; readonly test: (value: Json | undefined) => boolean }
)

/** Where guards are collected while a document is read and planned. */
export type Guards = { readonly record: (guard: Guard) => void }

export const ABSENT: Value = { kind: 'absent', origin: null }
