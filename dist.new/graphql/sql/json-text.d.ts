import { type Sql } from '../../sqltext/sql.ts';
/** JSON text as it is put together: constant pieces and SQL expressions of type text that are never null. */
export type JsonText = readonly (string | Sql)[];
/** `{"key":value,…}`, keys in the order given. */
export declare function jsonObject(members: readonly {
    readonly key: string;
    readonly value: JsonText;
}[]): JsonText;
/** The pieces as one SQL expression: neighbouring constants made one, everything joined by `||`. */
export declare function concatenation(text: JsonText): Sql;
export declare const NULL_JSON: Sql;
