/**
 * What comments say: `@graphql({...})`, up to the last parenthesis of the comment.
 *
 * A text that is not JSON is left out (pg_graphql fails every request then); JSON of the wrong form raises
 * {@link DirectiveError}, which every request answers, as pg_graphql does.
 */
export type SchemaDirectives = {
    readonly inflectNames: boolean;
    readonly maxRows: number;
    readonly introspection: boolean;
};
export type RelationDirectives = {
    readonly name: string | null;
    readonly description: string | null;
    readonly totalCount: boolean;
    readonly aggregate: boolean;
    /** of a partitioned table: show it in introspection */
    readonly introspection: boolean;
    readonly maxRows: number | null;
    readonly primaryKeyColumns: readonly string[] | null;
    readonly foreignKeys: readonly DeclaredForeignKey[];
};
export type DeclaredForeignKey = {
    readonly localName: string | null;
    readonly localColumns: readonly string[];
    readonly foreignName: string | null;
    readonly foreignSchema: string;
    readonly foreignTable: string;
    readonly foreignColumns: readonly string[];
};
export type ColumnDirectives = {
    readonly name: string | null;
    readonly description: string | null;
};
export type FunctionDirectives = ColumnDirectives;
export type ForeignKeyDirectives = {
    readonly localName: string | null;
    readonly foreignName: string | null;
};
export type EnumDirectives = {
    readonly name: string | null;
    readonly mappings: ReadonlyMap<string, string> | null;
};
export declare class DirectiveError extends Error {
    readonly name = "DirectiveError";
}
export declare function schemaDirectives(comment: string | null): SchemaDirectives;
export declare function relationDirectives(comment: string | null): RelationDirectives;
export declare function columnDirectives(comment: string | null): ColumnDirectives;
export declare const functionDirectives: (comment: string | null) => FunctionDirectives;
export declare function foreignKeyDirectives(comment: string | null): ForeignKeyDirectives;
export declare function enumDirectives(comment: string | null): EnumDirectives;
