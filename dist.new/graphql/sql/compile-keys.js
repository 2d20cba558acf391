import { join, literal, sql } from '../../sqltext/sql.js';
const INTEGERS = new Set([20, 21, 23]);
/** A column as an element of a jsonb array, in jsonb's own spelling. */
function element(row, column) {
    const value = row.column(column);
    const text = INTEGERS.has(column.type.oid) ? sql `${value}::text` : sql `to_jsonb(${value})::text`;
    return row.isNullable(column) ? sql `coalesce(${text}, 'null')` : text;
}
const elements = (row, columns) => join(columns.map((column) => element(row, column)), ` || ', ' || `);
/** Base64 without the line breaks that PostgreSQL puts in (RFC 2045). */
const base64 = (text) => sql `translate(encode(convert_to(${text}, 'UTF8'), 'base64'), E'\n', '')`;
/** Base64 of the jsonb array of the order's columns. */
export const cursorText = (row, columns) => base64(sql `'[' || ${elements(row, columns)} || ']'`);
/** Base64 of `["schema", "table", key…]`. */
export const nodeIdText = (row, relation) => base64(sql `${literal(`[${JSON.stringify(relation.schema.name)}, ${JSON.stringify(relation.name)}, `)} || ${elements(row, relation.primaryKey)} || ']'`);
/** Tells rows of one relation apart. */
export const keyText = (row, columns) => elements(row, columns);
