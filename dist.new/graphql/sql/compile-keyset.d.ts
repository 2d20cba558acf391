import type { Column } from '../../catalog/model.ts';
import { type Sql } from '../../sqltext/sql.ts';
import type { CursorValue, OrderTerm } from '../plan/plan.ts';
/** The order in which a page is read: from its end everything is turned round. */
export declare const readingOrder: (order: readonly OrderTerm[], from: 'start' | 'end') => readonly OrderTerm[];
export declare function compileOrder(order: readonly OrderTerm[], column: (column: Column) => Sql): Sql;
/**
 * Rows strictly after the cursor in reading order; a cursor may hold fewer values than the order has terms.
 *
 * Where all columns are NOT NULL and point one way this is a row comparison, which an index answers; else the alternatives are
 * spelled out, with the bound on the first column in front, so that an index still finds the start.
 */
export declare function compileKeyset(order: readonly OrderTerm[], cursor: readonly CursorValue[], column: (column: Column) => Sql): Sql;
