import type { Column } from '../../catalog/model.ts';
import { type Sql } from '../../sqltext/sql.ts';
/**
 * A row in scope, by its alias. It keeps what was asked of it, so that the subselect that yields it lists just those columns.
 * `trusted`: a NOT NULL column is never null here; rows out of functions may say otherwise.
 */
export type Row = {
    readonly column: (column: Column) => Sql;
    readonly whole: () => Sql;
    readonly isNullable: (column: Column) => boolean;
    /** the select list that yields all that was asked of the row, from a relation under the same alias */
    readonly selectList: () => Sql;
};
export declare function createRow(alias: string, trusted: boolean): Row;
