import { type Sql } from '../../sqltext/sql.ts';
import type { JoinColumns, NodePlan } from '../plan/plan.ts';
import type { Compilation } from './compilation.ts';
import { type JsonText } from './json-text.ts';
import { type Row } from './row.ts';
/** The JSON object of a row. */
export declare const compileNode: (node: NodePlan, row: Row, compilation: Compilation) => JsonText;
/** The row a function returns; null when there is none, or nothing in it. */
export declare function compileRowOf(call: Sql, node: NodePlan, compilation: Compilation): Sql;
/** A row that stands in `from` itself, not behind a subselect: the whole of it is its alias. */
export declare const wholeOf: (alias: string, row: Row) => Row;
export declare const compileJoin: (columns: JoinColumns, outer: Row, inner: (column: JoinColumns[number]['inner']) => Sql) => Sql;
