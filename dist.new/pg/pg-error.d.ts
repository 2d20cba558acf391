/** What PostgreSQL answered instead of rows. The message is its primary message, nothing else (no detail, no hint). */
export declare class PgError extends Error {
    readonly name = "PgError";
    /** five characters, PostgreSQL manual appendix A */
    readonly sqlstate: string;
    readonly detail: string | null;
    readonly hint: string | null;
    readonly constraint: string | null;
    readonly schema: string | null;
    readonly table: string | null;
    readonly column: string | null;
    /** index of the batch's statement that failed; -1: the preamble */
    readonly statement: number;
    constructor(answer: PgErrorFields, statement: number);
}
export type PgErrorFields = {
    readonly message: string;
    readonly code?: string | undefined;
    readonly detail?: string | undefined;
    readonly hint?: string | undefined;
    readonly constraint?: string | undefined;
    readonly schema?: string | undefined;
    readonly table?: string | undefined;
    readonly column?: string | undefined;
};
export type UnavailableReason = 'unreachable' | 'connection lost' | 'pool exhausted' | 'deadline passed' | 'shutting down';
/** No answer came: the database is away, frozen, or every connection is busy. Whether a write happened is unknown after `connection lost`. */
export declare class PgUnavailable extends Error {
    readonly name = "PgUnavailable";
    readonly reason: UnavailableReason;
    constructor(reason: UnavailableReason, options?: ErrorOptions);
}
/** The caller went away while PostgreSQL worked; the query was cancelled. */
export declare class PgCancelled extends Error {
    readonly name = "PgCancelled";
}
/** PostgreSQL's classes for an administrator's shutdown, a crash, or "not now" (manual appendix A, class 57P and 08, 53300). */
export declare const isUnavailableState: (sqlstate: string) => boolean;
