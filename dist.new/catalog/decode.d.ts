import type { RoleName } from '../std/brand.ts';
import type { Catalog, Oid } from './model.ts';
/** The rows of sql/catalog/*.sql: positional, in the order of each query's list. */
export type CatalogRows = {
    readonly version: string | null;
    readonly schemas: readonly SchemaRow[] | null;
    readonly relations: readonly RelationRow[] | null;
    readonly foreignKeys: readonly ForeignKeyRow[] | null;
    readonly types: readonly TypeRow[] | null;
    readonly functions: readonly FunctionRow[] | null;
    readonly grants: readonly GrantRow[] | null;
};
type SchemaRow = readonly [oid: Oid, name: string, comment: string | null, usage: readonly boolean[]];
type RelationRow = readonly [
    oid: Oid,
    schema: Oid,
    name: string,
    kind: string,
    rowType: Oid,
    rowSecurity: boolean,
    comment: string | null,
    columns: readonly ColumnRow[] | null,
    primaryKey: readonly number[] | null,
    uniqueKeys: readonly (readonly number[])[] | null
];
type ColumnRow = readonly [
    number: number,
    name: string,
    type: Oid,
    modifier: number,
    notNull: boolean,
    generated: boolean,
    serial: boolean,
    declared: string,
    comment: string | null
];
type ForeignKeyRow = readonly [from: Oid, fromColumns: readonly number[], to: Oid, toColumns: readonly number[], comment: string | null, name: string];
type TypeRow = readonly [
    oid: Oid,
    schema: string,
    name: string,
    kind: string,
    element: Oid | 0,
    base: Oid | 0,
    relation: Oid | 0,
    labels: readonly string[] | null,
    comment: string | null,
    sql: string,
    schemaUsage: readonly boolean[],
    usage: readonly boolean[]
];
type FunctionRow = readonly [
    oid: Oid,
    schema: Oid,
    name: string,
    argTypes: readonly Oid[],
    argNames: readonly string[],
    defaults: number,
    defaultsText: string | null,
    returns: Oid,
    returnsSet: boolean,
    rows: number,
    volatility: string,
    variadic: boolean,
    out: boolean | null,
    comment: string | null,
    execute: readonly boolean[]
];
type GrantRow = readonly [
    role: number,
    relation: Oid,
    select: true | readonly number[] | null,
    insert: true | readonly number[] | null,
    update: true | readonly number[] | null,
    remove: boolean
];
/** Rows of the reflection query -> {@link Catalog}. `roles` in the order in which the query was given them. */
export declare function decodeCatalog(rows: CatalogRows, roles: readonly RoleName[]): Catalog;
export {};
