import { assertNever } from '../../std/assert-never.js';
import { compile, constant, ident, join, sql } from '../../sqltext/sql.js';
import { startCompilation } from './compilation.js';
import { compileCollection } from './compile-collection.js';
import { compileDelete, compileInsert, compileUpdate } from './compile-mutation.js';
import { compileNode, compileRowOf, wholeOf } from './compile-node.js';
import { compilePredicate } from './compile-predicate.js';
import { compileCall, compileSource } from './compile-source.js';
import { encode } from './encode.js';
import { concatenation } from './json-text.js';
import { createRow } from './row.js';
/** A query is one statement, a column a root; a mutation is one statement a root, in order. */
export function compileOperation(kind, roots) {
    const statements = [];
    const parts = [];
    if (kind === 'query') {
        const compilation = startCompilation(compileCollection);
        const columns = [];
        for (const root of roots) {
            if (root.kind === 'literal')
                parts.push({ key: root.key, from: 'document', json: root.json });
            else
                parts.push({ key: root.key, from: 'database', statement: 0, column: columns.push(compileRoot(root, compilation)) - 1 });
        }
        if (columns.length > 0)
            statements.push(toCompiled(sql `/* graphql.query */ select ${join(columns, ', ')}`));
    }
    else {
        for (const root of roots) {
            if (root.kind === 'literal')
                parts.push({ key: root.key, from: 'document', json: root.json });
            else
                parts.push({ key: root.key, from: 'database', statement: statements.push(toCompiled(compileStep(root))) - 1, column: 0 });
        }
    }
    return { statements, parts };
}
/** Every param of the compiler's making came out of the plan. */
const toCompiled = (piece) => {
    const { text, params } = compile(piece);
    return { text, params: params };
};
function compileStep(root) {
    const compilation = startCompilation(compileCollection);
    switch (root.kind) {
        case 'insert':
            return sql `/* graphql.insert */ ${compileInsert(root, compilation)}`;
        case 'update':
            return sql `/* graphql.update */ ${compileUpdate(root, compilation)}`;
        case 'delete':
            return sql `/* graphql.delete */ ${compileDelete(root, compilation)}`;
        default:
            return sql `/* graphql.call */ select ${compileRoot(root, compilation)}`;
    }
}
function compileRoot(root, compilation) {
    switch (root.kind) {
        case 'collection':
            return compileCollection(root.collection, null, compilation);
        case 'record':
            return compileRecord(root, compilation);
        case 'value':
            return concatenation(encode(compileCall(root.source), root.encoding, true));
        case 'insert':
        case 'update':
        case 'delete':
            return sql `(${compileStep(root)})`;
        default:
            return assertNever(root);
    }
}
function compileRecord(root, compilation) {
    if (root.source.kind !== 'relation')
        return compileRowOf(compileSource(root.source, null), root.node, compilation);
    const alias = compilation.nextAlias();
    const json = concatenation(compileNode(root.node, wholeOf(alias, createRow(alias, true)), compilation));
    const where = compilePredicate(root.where, (column) => ident(alias, column.name));
    return sql `coalesce((select ${json} from ${compileSource(root.source, null)} ${ident(alias)} where ${where}${constant(' limit 1')}), 'null')`;
}
