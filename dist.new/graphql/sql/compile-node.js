import { assertNever } from '../../std/assert-never.js';
import { constant, ident, sql } from '../../sqltext/sql.js';
import { nodeIdText } from './compile-keys.js';
import { conjunction } from './compile-predicate.js';
import { encode } from './encode.js';
import { concatenation, jsonObject } from './json-text.js';
import { createRow } from './row.js';
/** The JSON object of a row. */
export const compileNode = (node, row, compilation) => jsonObject(node.fields.map((field) => ({ key: field.key, value: compileSelection(node, field, row, compilation) })));
function compileSelection(node, field, row, compilation) {
    switch (field.kind) {
        case 'literal':
            return [field.json];
        case 'column':
            return encode(row.column(field.column), field.encoding, row.isNullable(field.column));
        case 'node id':
            return ['"', nodeIdText(row, node.relation), '"'];
        case 'to-one':
            return [compileToOne(field.join, field.first, field.node, row, compilation)];
        case 'to-many':
            return [compilation.compileCollection(field.collection, row, compilation)];
        case 'row':
            return [compileRowOf(sql `(select (${row.column(field.column)}).*)`, field.node, compilation)];
        case 'computed':
            return encode(sql `${ident(field.fn.schema.name, field.fn.name)}(${row.whole()})`, field.encoding, true);
        case 'computed to-one':
            return [compileRowOf(sql `${ident(field.fn.schema.name, field.fn.name)}(${row.whole()})`, field.node, compilation)];
        default:
            return assertNever(field);
    }
}
function compileToOne(join, first, node, outer, compilation) {
    const alias = compilation.nextAlias();
    const row = createRow(alias, true);
    const json = concatenation(compileNode(node, wholeOf(alias, row), compilation));
    const on = compileJoin(join, outer, (column) => ident(alias, column.name));
    const relation = ident(node.relation.schema.name, node.relation.name);
    return sql `coalesce((select ${json} from ${relation} ${ident(alias)} where ${on}${constant(first ? ' limit 1' : '')}), 'null')`;
}
/** The row a function returns; null when there is none, or nothing in it. */
export function compileRowOf(call, node, compilation) {
    const alias = compilation.nextAlias();
    const row = wholeOf(alias, createRow(alias, false));
    return sql `coalesce((select ${concatenation(compileNode(node, row, compilation))} from ${call} ${ident(alias)} where not (${ident(alias)} is null) limit 1), 'null')`;
}
/** A row that stands in `from` itself, not behind a subselect: the whole of it is its alias. */
export const wholeOf = (alias, row) => ({ ...row, whole: () => ident(alias) });
export const compileJoin = (columns, outer, inner) => conjunction(columns.map((pair) => sql `${inner(pair.inner)} = ${outer.column(pair.outer)}`));
