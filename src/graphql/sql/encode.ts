import { join, literal, type Sql, sql } from '../../sqltext/sql.ts'
import { assertNever } from '../../std/assert-never.ts'
import type { Encoding } from '../plan/plan.ts'
import type { JsonText } from './json-text.ts'

/** A value as JSON text, `null` for SQL's null. */
export function encode(value: Sql, encoding: Encoding, nullable: boolean): JsonText {
  switch (encoding.kind) {
    case 'bare':
      return [orNull(sql`${value}::text`, nullable)]
    case 'quoted':
      return nullable ? [orNull(sql`'"' || ${value}::text || '"'`, true)] : ['"', sql`${value}::text`, '"']
    case 'json':
      return [orNull(sql`to_json(${value})::text`, nullable)]
    case 'text':
      return [orNull(sql`to_json(${value} #>> '{}')::text`, true)]
    case 'texts':
      return [orNull(sql`to_json(${value}::text[])::text`, nullable)]
    case 'enum':
      return [orNull(enumName(value, encoding.values), nullable)]
    default:
      return assertNever(encoding)
  }
}

const orNull = (text: Sql, nullable: boolean): Sql => (nullable ? sql`coalesce(${text}, 'null')` : text)

const enumName = (value: Sql, values: readonly { readonly label: string; readonly name: string }[]): Sql =>
  sql`case ${value}::text ${join(
    values.map(({ label, name }) => sql`when ${literal(label)} then ${literal(JSON.stringify(name))}`),
    ' ',
  )} end`
