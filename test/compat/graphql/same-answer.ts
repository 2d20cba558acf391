import { type Json, JsonNumber } from '../../../src/graphql/operation/json.ts'
import { isJsonList, isJsonObject } from '../../../src/graphql/operation/variables.ts'

/**
 * Whether an answer says what the recorded one says.
 *
 * Objects are equal whatever the order of their keys, lists in order, errors by their messages alone. Of a parse error only the
 * prefix counts, and that there is no data. Integers are equal digit by digit, other numbers as numbers (2.0 is 2, and the peer
 * rounds to double precision). `column ALIAS.x` stands for a generated alias.
 */
export function sameAnswer(wanted: Json, had: Json): boolean {
  if (isParseError(wanted)) return isParseError(had)
  return same(wanted, had, '')
}

function same(wanted: Json | undefined, had: Json | undefined, key: string): boolean {
  if (wanted === undefined || had === undefined) return wanted === had
  if (wanted instanceof JsonNumber) return had instanceof JsonNumber && sameNumber(wanted.text, had.text)
  if (isJsonList(wanted)) {
    return isJsonList(had) && wanted.length === had.length && wanted.every((item, i) => same(asError(item, key), asError(had[i], key), ''))
  }
  if (typeof wanted === 'string' && typeof had === 'string' && wanted.startsWith('column ALIAS.')) {
    return had.replace(/^column [a-z0-9]+\./, 'column ALIAS.') === wanted
  }
  if (!isObject(wanted)) return wanted === had
  if (!isObject(had)) return false
  const keys = Object.keys(wanted)
  return keys.length === Object.keys(had).length && keys.every((name) => same(wanted[name], had[name], name))
}

const isObject = (json: Json): json is { readonly [key: string]: Json } => isJsonObject(json)

/** An entry of `errors` without what an engine may add to its message. */
function asError(json: Json | undefined, key: string): Json | undefined {
  if (key !== 'errors' || json === undefined || !isObject(json) || typeof json.message !== 'string') return json
  return { message: json.message }
}

function sameNumber(wanted: string, had: string): boolean {
  if (/^-?\d+$/.test(wanted) && /^-?\d+$/.test(had)) return BigInt(wanted) === BigInt(had)
  return Number(wanted) === Number(had)
}

function isParseError(json: Json): boolean {
  if (!isObject(json) || 'data' in json || !isJsonList(json.errors ?? null)) return false
  const [error, ...more] = json.errors as readonly Json[]
  if (more.length > 0 || error === undefined || !isObject(error)) return false
  return typeof error.message === 'string' && error.message.startsWith('query parse error:')
}
