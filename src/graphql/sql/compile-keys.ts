import type { Column, Relation } from '../../catalog/model.ts'
import { join, literal, type Sql, sql } from '../../sqltext/sql.ts'
import type { Row } from './row.ts'

const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23])

/** A column as an element of a jsonb array, in jsonb's own spelling. */
function element(row: Row, column: Column): Sql {
  const value = row.column(column)
  const text = INTEGERS.has(column.type.oid) ? sql`${value}::text` : sql`to_jsonb(${value})::text`
  return row.isNullable(column) ? sql`coalesce(${text}, 'null')` : text
}

const elements = (row: Row, columns: readonly Column[]): Sql =>
  join(
    columns.map((column) => element(row, column)),
    ` || ', ' || `,
  )

/** Base64 without the line breaks that PostgreSQL puts in (RFC 2045). */
const base64 = (text: Sql): Sql => sql`translate(encode(convert_to(${text}, 'UTF8'), 'base64'), E'\\n', '')`

/** Base64 of the jsonb array of the order's columns. */
export const cursorText = (row: Row, columns: readonly Column[]): Sql => base64(sql`'[' || ${elements(row, columns)} || ']'`)

/** Base64 of `["schema", "table", key…]`. */
export const nodeIdText = (row: Row, relation: Relation): Sql =>
  base64(
    sql`${literal(`[${JSON.stringify(relation.schema.name)}, ${JSON.stringify(relation.name)}, `)} || ${elements(row, relation.primaryKey)} || ']'`,
  )

/** Tells rows of one relation apart. */
export const keyText = (row: Row, columns: readonly Column[]): Sql => elements(row, columns)
