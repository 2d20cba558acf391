import type { Column, Relation } from '../../catalog/model.ts';
import { type Sql } from '../../sqltext/sql.ts';
import type { Row } from './row.ts';
/** Base64 of the jsonb array of the order's columns. */
export declare const cursorText: (row: Row, columns: readonly Column[]) => Sql;
/** Base64 of `["schema", "table", key…]`. */
export declare const nodeIdText: (row: Row, relation: Relation) => Sql;
/** Tells rows of one relation apart. */
export declare const keyText: (row: Row, columns: readonly Column[]) => Sql;
