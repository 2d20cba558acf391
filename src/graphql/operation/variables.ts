import { loneSurrogate, nullCharacter } from '../errors.ts'
import { type Json, JsonNumber, type JsonObject } from './json.ts'
import type { Variables } from './operation.ts'
import type { Origin, Value } from './value.ts'

export const isJsonObject = (json: Json): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof JsonNumber)

export const isJsonList = (json: Json): json is readonly Json[] => Array.isArray(json)

/**
 * The value at a place inside the variables: supplied, else declared default, else absent.
 * @throws GraphqlError when a string in it is one PostgreSQL cannot hold
 */
export function valueAt(variables: Variables, origin: Origin): Value {
  const json = jsonAt(variables, origin)
  return json === undefined ? { kind: 'absent', origin } : valueFrom(json, origin)
}

/** What stands at a place inside the variables; undefined: nothing. */
export function jsonAt(variables: Variables, origin: Origin): Json | undefined {
  if ('variable' in origin) {
    const { supplied, defaults } = variables
    return memberOf(Object.hasOwn(supplied, origin.variable) ? supplied : defaults, origin.variable)
  }
  const { within, step } = origin
  const json = jsonAt(variables, within)
  if (json === undefined) return undefined
  if (typeof step === 'number') return isJsonList(json) ? json[step] : undefined
  return isJsonObject(json) ? memberOf(json, step) : undefined
}

/**
 * A JSON value as a {@link Value}.
 * @throws GraphqlError for strings PostgreSQL cannot hold: with U+0000, or with half of a surrogate pair
 */
export function valueFrom(json: Json, origin: Origin): Value {
  if (json === null) return { kind: 'null', origin }
  if (typeof json === 'string') return { kind: 'string', value: storable(json), origin }
  if (typeof json === 'boolean') return { kind: 'boolean', value: json, origin }
  if (json instanceof JsonNumber) return { kind: 'number', text: plainInteger(json.text), origin }
  if (isJsonList(json)) return { kind: 'list', items: json.map((item, i) => valueFrom(item, { within: origin, step: i })), origin }
  const fields = new Map<string, Value>()
  for (const key of Object.keys(json)) fields.set(key, valueFrom(json[key] ?? null, { within: origin, step: key }))
  return { kind: 'object', fields, origin }
}

/** Text PostgreSQL can hold: neither U+0000 nor half of a surrogate pair, both of which JSON and GraphQL allow. */
export function storable(text: string): string {
  if (text.includes('\u0000')) throw nullCharacter()
  if (LONE_SURROGATE.test(text)) throw loneSurrogate()
  return text
}

/** Whether PostgreSQL can hold every string in it. */
export function isStorable(json: Json): boolean {
  if (typeof json === 'string') return !json.includes('\u0000') && !LONE_SURROGATE.test(json)
  if (typeof json !== 'object' || json === null || json instanceof JsonNumber) return true
  if (isJsonList(json)) return json.every(isStorable)
  // a pair of each for `Object.entries` costs more than the look at them
  for (const key in json) if (!isStorable(key) || !isStorable(json[key] ?? null)) return false
  return true
}

const memberOf = (object: JsonObject, key: string): Json | undefined => (Object.hasOwn(object, key) ? object[key] : undefined)

/** with the flag `u` a pair is one character, which this does not match */
const LONE_SURROGATE = /[\ud800-\udfff]/u

/** `1e3` is the integer 1000, as it is in PostgreSQL's jsonb; a number that is no 64-bit integer keeps its text. */
function plainInteger(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?[eE]\+?(\d{1,2})$/.exec(text)
  if (!parts) return text
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const zeros = Number(exponent) - fraction.length
  if (zeros < 0 || whole.length + Number(exponent) > 19) return text
  return sign + BigInt(whole + fraction + '0'.repeat(zeros)).toString()
}
