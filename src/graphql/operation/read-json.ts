import { createJsonObject, type Json, JsonNumber, type JsonObject } from './json.ts'

/** The text is no JSON (RFC 8259), or nests deeper than the limit. `position` is a 0-based UTF-16 index. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault'
  readonly position: number
  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

/** Deeper than variables of any schema get: filters nest 20 deep, JSON columns are written as text. */
export const MAX_JSON_DEPTH = 200

/**
 * Reads JSON as `JSON.parse` does, but keeps the text of numbers, so that 64-bit integers and long decimals survive.
 * Of a key given twice the last counts. Strings may hold U+0000 and halves of surrogate pairs (RFC 8259 8.2):
 * whoever takes a value out refuses them (`valueFrom`).
 * @throws JsonFault
 */
export function readJson(text: string): Json {
  const reader = new JsonReader(text)
  const json = reader.readValue(0)
  reader.readEnd()
  return json
}

/** A function's worth of state: closures in its place would be made anew for every request. */
class JsonReader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  readValue(depth: number): Json {
    this.skipSpace()
    switch (this.text.charCodeAt(this.at)) {
      case OPEN_BRACE:
        return this.readObject(depth)
      case OPEN_BRACKET:
        return this.readList(depth)
      case QUOTE:
        return this.readString()
      case LETTER_T:
        return this.readWord('true', true)
      case LETTER_F:
        return this.readWord('false', false)
      case LETTER_N:
        return this.readWord('null', null)
      default:
        return this.readNumber()
    }
  }

  readEnd(): void {
    this.skipSpace()
    if (this.at < this.text.length) throw this.unexpected()
  }

  private readObject(depth: number): JsonObject {
    this.enter(depth)
    const object = createJsonObject()
    if (this.skipped(CLOSE_BRACE)) return object
    do {
      this.skipSpace()
      if (this.text.charCodeAt(this.at) !== QUOTE) throw this.unexpected()
      const key = this.readString()
      if (!this.skipped(COLON)) throw this.unexpected()
      object[key] = this.readValue(depth + 1)
    } while (this.skipped(COMMA))
    if (!this.skipped(CLOSE_BRACE)) throw this.unexpected()
    return object
  }

  private readList(depth: number): readonly Json[] {
    this.enter(depth)
    const list: Json[] = []
    if (this.skipped(CLOSE_BRACKET)) return list
    do list.push(this.readValue(depth + 1))
    while (this.skipped(COMMA))
    if (!this.skipped(CLOSE_BRACKET)) throw this.unexpected()
    return list
  }

  private enter(depth: number): void {
    if (depth >= MAX_JSON_DEPTH) throw new JsonFault(`JSON nests deeper than ${MAX_JSON_DEPTH} levels`, this.at)
    this.at++
  }

  private readString(): string {
    const { text, at: start } = this
    let escaped = false
    let at = start + 1
    for (; ; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) break
      if (code === BACKSLASH) {
        escaped = true
        at++
      } else if (code < 0x20 || Number.isNaN(code)) {
        this.at = at
        throw this.unexpected()
      }
    }
    this.at = at + 1
    if (!escaped) return text.slice(start + 1, at)
    try {
      return JSON.parse(text.slice(start, at + 1))
    } catch {
      throw new JsonFault('bad escape in a JSON string', start)
    }
  }

  private readNumber(): JsonNumber {
    const start = this.at
    NUMBER.lastIndex = start
    if (!NUMBER.test(this.text)) throw this.unexpected()
    this.at = NUMBER.lastIndex
    return new JsonNumber(this.text.slice(start, this.at))
  }

  private readWord<Word>(word: string, value: Word): Word {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected()
    this.at += word.length
    return value
  }

  private skipped(character: number): boolean {
    this.skipSpace()
    if (this.text.charCodeAt(this.at) !== character) return false
    this.at++
    return true
  }

  private skipSpace(): void {
    for (; ; this.at++) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    }
  }

  private unexpected(): JsonFault {
    const { text, at } = this
    return at >= text.length
      ? new JsonFault('unexpected end of JSON', text.length)
      : new JsonFault(`unexpected ${JSON.stringify(text[at])} at position ${at} of the JSON`, at)
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/**
 * A JavaScript value as {@link Json}, for callers inside the process: what `JSON.stringify` makes of it, and BigInts as numbers.
 * @throws JsonFault for what cannot be written as JSON: cycles, nesting beyond the limit
 */
export function jsonFrom(value: unknown, depth = 0): Json {
  if (depth > MAX_JSON_DEPTH) throw new JsonFault(`JSON nests deeper than ${MAX_JSON_DEPTH} levels, or holds itself`, 0)
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? new JsonNumber(Object.is(value, -0) ? '0' : String(value)) : null
    case 'bigint':
      return new JsonNumber(value.toString())
    case 'object':
      return jsonFromObject(value, depth)
    default:
      return null
  }
}

function jsonFromObject(value: object | null, depth: number): Json {
  if (value === null || value instanceof JsonNumber) return value
  if (Array.isArray(value)) return value.map((item) => jsonFrom(item, depth + 1))
  if ('toJSON' in value && typeof value.toJSON === 'function') return jsonFrom(value.toJSON(), depth + 1)
  const object = createJsonObject()
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined && typeof member !== 'function') object[key] = jsonFrom(member, depth + 1)
  }
  return object
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LETTER_F = 0x66
const LETTER_N = 0x6e
const LETTER_T = 0x74
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
