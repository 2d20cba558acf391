import type { RoleContext } from '../auth/role-context.ts'
import type { PgText, Statement } from '../sqltext/sql.ts'

/** One row, its columns as text in the order of the select list. */
export type Row = readonly PgText[]

/** A setting local to the batch, as `set_config(name, value, true)`. */
export type Setting = readonly [name: string, value: string]

/**
 * Statements that one caller runs together: one implicit transaction, one round trip.
 *
 * `roll back` asks PostgreSQL (permissions, constraints) and leaves no trace.
 * With `catalogVersion` statements find it in a setting, and refuse with {@link STALE_CATALOG} if the schema has moved on; where there is no
 * statement, the preamble does.
 */
export type ScopedBatch = {
  readonly as: RoleContext
  readonly access: 'read only' | 'read write'
  readonly end: 'commit' | 'roll back'
  /** always the same names in the same order for one face, so that the preamble stays prepared */
  readonly settings: readonly Setting[]
  readonly statements: readonly Statement[]
  readonly catalogVersion?: string
  /** asks and changes nothing, though it may: what policies call does so as often as PostgreSQL likes */
  readonly mayRepeat?: boolean
  /** what else than the texts of its statements decides how long they take: the role's policies for this */
  readonly about?: string
  /** instead of the pool's */
  readonly searchPath?: string
  /** reads only, and a copy of the database that is a little behind may answer, if it shows what the caller has written */
  readonly mayLag?: boolean
  /** what it answers is as long as its asker wants it, and may take any time: many of them leave a part of the connections to others */
  readonly ofAnyLength?: boolean
  /** whose writing it is, where the service writes for a caller */
  readonly behalf?: RoleContext
}

/** Whether nothing is different for its having been asked once more. */
export const isQuestion = ({ access, end, mayRepeat }: ScopedBatch): boolean =>
  end === 'commit' && (access === 'read only' || mayRepeat === true)

/**
 * Rows per statement, in order.
 * @throws PgError when PostgreSQL refused; then nothing happened
 * @throws PgUnavailable when no answer came
 * @throws PgCancelled when `signal` was aborted before the answer
 */
export type RunScoped = (batch: ScopedBatch, signal: AbortSignal) => Promise<readonly (readonly Row[])[]>

/** A value as text, or as the bytes it came as: UTF-8 either way. */
export type Cell = PgText | Uint8Array

/** The same for what is of any length, where long values need not become text because they are only handed on. */
export type RunForBytes = (batch: ScopedBatch, signal: AbortSignal) => Promise<readonly (readonly (readonly Cell[])[])[]>

/** SQLSTATE raised when the schema is not the one the batch was compiled for. */
export const STALE_CATALOG = 'SW001'
