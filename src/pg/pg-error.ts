/** What PostgreSQL answered instead of rows. The message is its primary message, nothing else (no detail, no hint). */
export class PgError extends Error {
  override readonly name = 'PgError'
  /** five characters, PostgreSQL manual appendix A */
  readonly sqlstate: string
  readonly detail: string | null
  readonly hint: string | null
  readonly constraint: string | null
  readonly schema: string | null
  readonly table: string | null
  readonly column: string | null
  /** index of the batch's statement that failed; -1: the preamble */
  readonly statement: number

  constructor(answer: PgErrorFields, statement: number) {
    super(answer.message, { cause: answer })
    this.sqlstate = answer.code ?? 'XX000'
    this.detail = answer.detail ?? null
    this.hint = answer.hint ?? null
    this.constraint = answer.constraint ?? null
    this.schema = answer.schema ?? null
    this.table = answer.table ?? null
    this.column = answer.column ?? null
    this.statement = statement
  }
}

export type PgErrorFields = {
  readonly message: string
  readonly code?: string | undefined
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  readonly constraint?: string | undefined
  readonly schema?: string | undefined
  readonly table?: string | undefined
  readonly column?: string | undefined
  /** PostgreSQL's C function that raised it */
  readonly routine?: string | undefined
}

export type UnavailableReason = 'unreachable' | 'connection lost' | 'pool exhausted' | 'deadline passed' | 'shutting down'

/** No answer came: the database is away, frozen, or every connection is busy. Whether a write happened is unknown after `connection lost`. */
export class PgUnavailable extends Error {
  override readonly name = 'PgUnavailable'
  readonly reason: UnavailableReason

  constructor(reason: UnavailableReason, options?: ErrorOptions) {
    super(`database ${reason}`, options)
    this.reason = reason
  }
}

/** @param isLate nobody waits for its answer any more */
export const lostConnection = (cause: Error, isLate: boolean): PgUnavailable =>
  new PgUnavailable(isLate ? 'deadline passed' : 'connection lost', { cause })

/** The caller went away while PostgreSQL worked; the query was cancelled. */
export class PgCancelled extends Error {
  override readonly name = 'PgCancelled'
}

/**
 * PostgreSQL's states for an administrator's shutdown, a crash, or "not now" (manual appendix A, class 57P and 53300).
 * Class 08 in an answer is no such state: it speaks of another server, behind a foreign table or dblink, or of a batch of ours.
 */
const isUnavailableState = (sqlstate: string): boolean =>
  sqlstate === '57P01' || sqlstate === '57P02' || sqlstate === '57P03' || sqlstate === '53300'

/** PostgreSQL is there, and has refused what it was asked. */
export const isRefusal = (error: Error | null): error is PgError => error instanceof PgError && !isUnavailableState(error.sqlstate)

/** PostgreSQL's words for a table, a function or a schema that is not there: in the preamble, the extension stowage_graphql. */
export const isMissingObject = (error: unknown): boolean =>
  error instanceof PgError && (error.sqlstate === '42P01' || error.sqlstate === '42883' || error.sqlstate === '3F000')
