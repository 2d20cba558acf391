import { constant, ident, join, sql } from '../../sqltext/sql.js';
/** The whole row as a value, for functions of it. No column of a table is called so by accident, and if one is, nothing breaks but this. */
const WHOLE_ROW = '(row)';
export function createRow(alias, trusted) {
    const columns = new Map();
    let whole = false;
    return {
        column: (column) => {
            const reference = ident(alias, column.name);
            columns.set(column.name, reference);
            return reference;
        },
        whole: () => {
            whole = true;
            return ident(alias, WHOLE_ROW);
        },
        isNullable: (column) => !trusted || !column.notNull,
        selectList: () => {
            const items = [...columns.values(), ...(whole ? [sql `${ident(alias)} as ${ident(WHOLE_ROW)}`] : [])];
            return items.length > 0 ? join(items, ', ') : constant('1 as "(one)"');
        },
    };
}
