import { assertNever } from '../../std/assert-never.ts'
import { type Json, JsonNumber } from './json.ts'
import type { Variables } from './operation.ts'
import type { Guard, Guards, Origin, ValueKind } from './value.ts'
import { isJsonList, isJsonObject, jsonAt } from './variables.ts'

/** A plan under more guards than this is not kept: to look at them all would cost as much as planning. */
export const MOST_GUARDS = 2_000

/** Keeps each fact about a place once, up to one too many, in the order of the first recording; each `passes` guard counts as another one. */
export function collectGuards(): Guards & { readonly recorded: readonly Guard[] } {
  const recorded: Guard[] = []
  const known = { kind: new Set<Origin>(), equals: new Set<Origin>(), keys: new Set<Origin>(), length: new Set<Origin>() }
  return {
    recorded,
    record: (guard) => {
      if (recorded.length > MOST_GUARDS) return
      if (guard.fact !== 'passes') {
        if (known[guard.fact].has(guard.origin)) return
        known[guard.fact].add(guard.origin)
      }
      recorded.push(guard)
    },
  }
}

/** Whether a plan made under this guard serves these variables. */
export function holds(guard: Guard, variables: Variables): boolean {
  const json = jsonAt(variables, guard.origin)
  switch (guard.fact) {
    case 'kind':
      return kindOf(json) === guard.kind
    case 'equals':
      return json === guard.value
    case 'keys':
      return json !== undefined && isJsonObject(json) && sameKeys(Object.keys(json), guard.keys)
    case 'length':
      return json !== undefined && isJsonList(json) && json.length === guard.length
    case 'passes':
      return guard.test(json)
    default:
      return assertNever(guard)
  }
}

function kindOf(json: Json | undefined): ValueKind {
  if (json === undefined) return 'absent'
  if (json === null) return 'null'
  if (typeof json === 'string') return 'string'
  if (typeof json === 'boolean') return 'boolean'
  if (json instanceof JsonNumber) return 'number'
  return isJsonList(json) ? 'list' : 'object'
}

const sameKeys = (keys: readonly string[], expected: readonly string[]): boolean =>
  keys.length === expected.length && keys.every((key, i) => key === expected[i])
