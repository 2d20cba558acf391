import { assertNever } from '../../std/assert-never.js';
import { join, literal, sql } from '../../sqltext/sql.js';
/** A value as JSON text, `null` for SQL's null. */
export function encode(value, encoding, nullable) {
    switch (encoding.kind) {
        case 'bare':
            return [orNull(sql `${value}::text`, nullable)];
        case 'quoted':
            return nullable ? [orNull(sql `'"' || ${value}::text || '"'`, true)] : ['"', sql `${value}::text`, '"'];
        case 'json':
            return [orNull(sql `to_json(${value})::text`, nullable)];
        case 'text':
            return [orNull(sql `to_json(${value}::text)::text`, nullable)];
        case 'texts':
            return [orNull(sql `to_json(${value}::text[])::text`, nullable)];
        case 'enum':
            return [orNull(enumName(value, encoding.values), nullable)];
        default:
            return assertNever(encoding);
    }
}
const orNull = (text, nullable) => (nullable ? sql `coalesce(${text}, 'null')` : text);
const enumName = (value, values) => sql `case ${value}::text ${join(values.map(({ label, name }) => sql `when ${literal(label)} then ${literal(JSON.stringify(name))}`), ' ')} end`;
