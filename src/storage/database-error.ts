import { ServiceError } from '../std/service-error.ts'
import {
  accessDenied,
  clientGone,
  databaseDefinitionInvalid,
  databaseError,
  databaseReadOnly,
  databaseSchemaMismatch,
  databaseTimeout,
  databaseUnavailable,
  invalidParameter,
  invalidRequest,
  relatedResourceMissing,
  resourceAlreadyExists,
  resourceLocked,
  resourceReferenced,
} from './errors.ts'

type Refusal = {
  readonly name: 'PgError'
  readonly sqlstate: string
  readonly statement: number
  readonly message: string
  /** of what a constraint was on */
  readonly schema: string | null
} & Error

/** PostgreSQL's own refusal, told by its shape: this folder is handed functions, not the driver. */
export const isRefusal = (error: unknown): error is Refusal => error instanceof Error && error.name === 'PgError' && 'sqlstate' in error

export const sqlstateOf = (error: unknown): string | null => (isRefusal(error) ? error.sqlstate : null)

/** unique_violation: who inserts knows what is taken, so each use case names its own. */
export const UNIQUE_VIOLATION = '23505'
const FOREIGN_KEY_VIOLATION = '23503'
/** What `on delete restrict` raises from PostgreSQL 18 on. */
const RESTRICT_VIOLATION = '23001'

/** What the database said, as an error of this face. Anything that did not come from it is handed on as it is. */
export function fromDatabase(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ServiceError) return error
  if (error.name === 'PgCancelled') return clientGone({ cause: error })
  if (error.name === 'PgUnavailable') return databaseUnavailable({ cause: error })
  if (!isRefusal(error)) return error
  const options = { cause: error }
  // the preamble's one way to fail: the role cannot be taken on
  if (error.statement < 0 && ROLE_REFUSED.has(error.sqlstate)) return accessDenied('Access denied: Invalid role', options)
  if (isStillReferenced(error)) return resourceReferenced(error.message, options)
  const named =
    BY_SQLSTATE[error.sqlstate] ?? BY_CLASS[error.sqlstate.slice(0, 2)] ?? (isOfTheOwner(error.sqlstate) ? invalidRequest : undefined)
  return named ? named(error.message, options) : databaseError(error.sqlstate, options)
}

/** A table of the owner's refers to what was to go. An insert into such a table, by a trigger, misses what it refers to. */
const isStillReferenced = (error: unknown): boolean =>
  isRefusal(error) &&
  (error.sqlstate === FOREIGN_KEY_VIOLATION || error.sqlstate === RESTRICT_VIOLATION) &&
  error.schema !== null &&
  error.schema !== 'storage' &&
  !error.message.startsWith('insert or update')

/** The foreign key of the objects holds a bucket that was to go. */
export const isBucketFullRefusal = (error: unknown): boolean => sqlstateOf(error) === FOREIGN_KEY_VIOLATION && !isStillReferenced(error)

/** A class that the standard leaves to others and PostgreSQL has not taken: raised by a trigger or policy, as `raise sqlstate 'PT403'`. */
const isOfTheOwner = (sqlstate: string): boolean => /^[5-9I-Z]/.test(sqlstate) && !/^(?:5[3-8]|72|P0|XX)/.test(sqlstate)

const ROLE_REFUSED = new Set(['22023', '42501', '42704'])

type Named = (message: string, options: ErrorOptions) => ServiceError

/** PostgreSQL manual appendix A. */
const BY_SQLSTATE: Readonly<Record<string, Named>> = {
  '42501': (message, options) =>
    accessDenied(message.includes('row-level security') ? 'new row violates row-level security policy' : message, options),
  [UNIQUE_VIOLATION]: (_, options) => resourceAlreadyExists(options),
  [FOREIGN_KEY_VIOLATION]: (_, options) => relatedResourceMissing(options),
  '55P03': (_, options) => resourceLocked(options),
  '40P01': (_, options) => resourceLocked(options),
  '40001': (_, options) => resourceLocked(options),
  '57014': (_, options) => databaseTimeout(options),
  '25006': (_, options) => databaseReadOnly(options),
  '42703': databaseSchemaMismatch,
  '42P01': databaseSchemaMismatch,
  '42883': databaseSchemaMismatch,
  '42P17': databaseDefinitionInvalid,
}

/** Data exceptions, constraints and what a trigger or policy of the owner's raises are answers to what was sent; insufficient resources pass. */
const BY_CLASS: Readonly<Record<string, Named>> = {
  '20': invalidRequest,
  '21': invalidRequest,
  '22': invalidParameter,
  '23': invalidRequest,
  '53': (_, options) => databaseUnavailable(options),
  '54': invalidRequest,
  P0: invalidRequest,
}
