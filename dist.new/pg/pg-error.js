/** What PostgreSQL answered instead of rows. The message is its primary message, nothing else (no detail, no hint). */
export class PgError extends Error {
    name = 'PgError';
    /** five characters, PostgreSQL manual appendix A */
    sqlstate;
    detail;
    hint;
    constraint;
    schema;
    table;
    column;
    /** index of the batch's statement that failed; -1: the preamble */
    statement;
    constructor(answer, statement) {
        super(answer.message, { cause: answer });
        this.sqlstate = answer.code ?? 'XX000';
        this.detail = answer.detail ?? null;
        this.hint = answer.hint ?? null;
        this.constraint = answer.constraint ?? null;
        this.schema = answer.schema ?? null;
        this.table = answer.table ?? null;
        this.column = answer.column ?? null;
        this.statement = statement;
    }
}
/** No answer came: the database is away, frozen, or every connection is busy. Whether a write happened is unknown after `connection lost`. */
export class PgUnavailable extends Error {
    name = 'PgUnavailable';
    reason;
    constructor(reason, options) {
        super(`database ${reason}`, options);
        this.reason = reason;
    }
}
/** The caller went away while PostgreSQL worked; the query was cancelled. */
export class PgCancelled extends Error {
    name = 'PgCancelled';
}
/** PostgreSQL's classes for an administrator's shutdown, a crash, or "not now" (manual appendix A, class 57P and 08, 53300). */
export const isUnavailableState = (sqlstate) => sqlstate === '57P01' || sqlstate === '57P02' || sqlstate === '57P03' || sqlstate === '53300' || sqlstate.startsWith('08');
