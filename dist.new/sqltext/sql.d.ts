/**
 * SQL as nodes. A statement is put together from constants, quoted identifiers, quoted literals and bound values,
 * so that a foreign string cannot become SQL by accident.
 */
/** Values travel as text; the cast to their type stands in the SQL. */
export type PgText = string | null;
export type Statement = {
    readonly text: string;
    readonly values: readonly PgText[];
};
/** A bound value. Whoever needs to know more of it than its text binds an object of its own and finds it in {@link compile}'s answer. */
export type Param = {
    readonly text: PgText;
};
/** A piece of SQL: text fragments and bound values between them. */
export type Sql = {
    readonly parts: readonly (string | Param)[];
};
/** The tag: interpolations are pieces themselves; there is no way to interpolate a bare string. */
export declare function sql(strings: TemplateStringsArray, ...pieces: readonly Sql[]): Sql;
/** SQL text that is a constant of ours (an operator, a keyword), never of the caller's. */
export declare const constant: (text: string) => Sql;
export declare const nothing: Sql;
/** A quoted identifier; several are joined by dots. PostgreSQL manual 4.1.1. */
export declare const ident: (...names: readonly string[]) => Sql;
/** A quoted string literal that holds whatever `standard_conforming_strings` says. PostgreSQL manual 4.1.2. */
export declare const literal: (text: string) => Sql;
/** A bound value, `$n` in the text. Give its type by a cast after it. */
export declare const value: (text: PgText) => Sql;
export declare const param: (bound: Param) => Sql;
export declare function join(pieces: readonly Sql[], separator: string): Sql;
/** Text and params in order of appearance. Equal pieces give equal text, which is what makes a prepared statement reusable. */
export declare function compile(piece: Sql): {
    readonly text: string;
    readonly params: readonly Param[];
};
export declare function toStatement(piece: Sql): Statement;
export declare const quoteIdent: (name: string) => string;
export declare const quoteLiteral: (text: string) => string;
