import type { PgText } from '../../sqltext/sql.ts'
import { type Json, JsonNumber } from '../operation/json.ts'
import { isJsonList } from '../operation/variables.ts'
import { arrayText } from './plan-values.ts'

/** An element of a cursor or nodeId (PostgreSQL's to_jsonb of a column) as text that casts back to the column's type. */
export function keyText(json: Json | undefined, isArray: boolean): PgText {
  if (json === undefined || json === null) return null
  if (isArray && isJsonList(json))
    return arrayText(
      json.map((item) => keyText(item, false)),
      ',',
    )
  if (typeof json === 'string') return json
  if (typeof json === 'boolean') return String(json)
  return json instanceof JsonNumber ? json.text : printJson(json)
}

function printJson(json: Json): string {
  if (json instanceof JsonNumber) return json.text
  if (isJsonList(json)) return `[${json.map(printJson).join(', ')}]`
  if (typeof json === 'object' && json !== null) {
    return `{${Object.entries(json)
      .map(([key, member]) => `${JSON.stringify(key)}: ${printJson(member)}`)
      .join(', ')}}`
  }
  return JSON.stringify(json)
}
