import { type Json, JsonNumber, type JsonObject } from '../../../src/graphql/operation/json.ts'
import { isJsonList, isJsonObject } from '../../../src/graphql/operation/variables.ts'

export type Difference = { readonly at: string; readonly wanted: Json | undefined; readonly had: Json | undefined }

/**
 * Where an answer first says something else than the recorded one; null: nowhere.
 *
 * Objects are equal whatever the order of their keys, lists in order, errors by their messages alone. Of a parse error only the
 * prefix counts, and that there is no data. Integers are equal digit by digit, other numbers as numbers: 2.0 is 2, and the last bit
 * of a double may differ, since the peer's JSON reader rounds twice. `column ALIAS.x` stands for a generated alias.
 */
export function findDifference(wanted: Json, had: Json): Difference | null {
  if (isParseError(wanted)) return isParseError(had) ? null : { at: '', wanted, had }
  return find(wanted, had, '')
}

function find(wanted: Json | undefined, had: Json | undefined, at: string): Difference | null {
  if (wanted !== undefined && had !== undefined) {
    if (isJsonList(wanted) && isJsonList(had) && wanted.length === had.length)
      return firstOf(wanted.keys(), (i) => find(wanted[i], had[i], `${at}.${i}`))
    if (isObject(wanted) && isObject(had)) {
      const keys = /^\.errors\.\d+$/.test(at) ? ['message'] : new Set([...Object.keys(wanted), ...Object.keys(had)])
      return firstOf(keys, (key) => find(wanted[key], had[key], `${at}.${key}`))
    }
    if (wanted instanceof JsonNumber && had instanceof JsonNumber && sameNumber(wanted.text, had.text)) return null
    if (typeof wanted === 'string' && typeof had === 'string' && sameText(wanted, had)) return null
  }
  return wanted === had ? null : { at, wanted, had }
}

function firstOf<Key>(keys: Iterable<Key>, findAt: (key: Key) => Difference | null): Difference | null {
  for (const key of keys) {
    const found = findAt(key)
    if (found) return found
  }
  return null
}

function sameNumber(wanted: string, had: string): boolean {
  if (/^-?\d+$/.test(wanted) && /^-?\d+$/.test(had)) return BigInt(wanted) === BigInt(had)
  const [a, b] = [Number(wanted), Number(had)]
  return a === b || Math.abs(a - b) <= Number.EPSILON * Math.abs(a)
}

const sameText = (wanted: string, had: string): boolean =>
  wanted === had || (wanted.startsWith('column ALIAS.') && had.replace(/^column [a-z0-9]+\./, 'column ALIAS.') === wanted)

function isParseError(json: Json): boolean {
  if (!isObject(json) || 'data' in json || json.errors === undefined || !isJsonList(json.errors)) return false
  const [error, ...more] = json.errors
  if (more.length > 0 || error === undefined || !isObject(error)) return false
  return typeof error.message === 'string' && error.message.startsWith('query parse error:')
}

const isObject = (json: Json): json is JsonObject => isJsonObject(json)
