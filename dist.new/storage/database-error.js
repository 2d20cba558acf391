import { ServiceError } from '../std/service-error.js';
import { accessDenied, clientGone, databaseDefinitionInvalid, databaseError, databaseReadOnly, databaseSchemaMismatch, databaseTimeout, databaseUnavailable, invalidParameter, invalidRequest, relatedResourceMissing, resourceAlreadyExists, resourceLocked, } from './errors.js';
/** PostgreSQL's own refusal, told by its shape: this folder is handed functions, not the driver. */
export const isRefusal = (error) => error instanceof Error && error.name === 'PgError' && 'sqlstate' in error;
export const sqlstateOf = (error) => (isRefusal(error) ? error.sqlstate : null);
/** unique_violation: who inserts knows what is taken, so each use case names its own. */
export const UNIQUE_VIOLATION = '23505';
export const FOREIGN_KEY_VIOLATION = '23503';
/** What the database said, as an error of this face. Anything that did not come from it is handed on as it is. */
export function fromDatabase(error) {
    if (!(error instanceof Error) || error instanceof ServiceError)
        return error;
    if (error.name === 'PgCancelled')
        return clientGone({ cause: error });
    if (error.name === 'PgUnavailable')
        return databaseUnavailable({ cause: error });
    if (!isRefusal(error))
        return error;
    const options = { cause: error };
    // the preamble's one way to fail: the role cannot be taken on
    if (error.statement < 0 && ROLE_REFUSED.has(error.sqlstate))
        return accessDenied('Access denied: Invalid role', options);
    const named = BY_SQLSTATE[error.sqlstate] ?? BY_CLASS[error.sqlstate.slice(0, 2)];
    return named ? named(error.message, options) : databaseError(error.sqlstate, options);
}
const ROLE_REFUSED = new Set(['22023', '42501', '42704']);
/** PostgreSQL manual appendix A. */
const BY_SQLSTATE = {
    '42501': (message, options) => accessDenied(message.includes('row-level security') ? 'new row violates row-level security policy' : message, options),
    [UNIQUE_VIOLATION]: (_, options) => resourceAlreadyExists(options),
    [FOREIGN_KEY_VIOLATION]: (_, options) => relatedResourceMissing(options),
    '55P03': (_, options) => resourceLocked(options),
    '40P01': (_, options) => resourceLocked(options),
    '40001': (_, options) => resourceLocked(options),
    '57014': (_, options) => databaseTimeout(options),
    '25006': (_, options) => databaseReadOnly(options),
    '42703': databaseSchemaMismatch,
    '42P01': databaseSchemaMismatch,
    '42P17': databaseDefinitionInvalid,
    // raised by a trigger or policy of the owner's: it says why
    P0001: invalidRequest,
};
/** Data exceptions and constraints are answers to what was sent; insufficient resources pass. */
const BY_CLASS = {
    '22': invalidParameter,
    '23': invalidRequest,
    '53': (_, options) => databaseUnavailable(options),
    '54': invalidRequest,
};
