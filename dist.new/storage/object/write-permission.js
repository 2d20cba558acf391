import { askAsCaller } from '../ask.js';
import { fromDatabase, sqlstateOf, UNIQUE_VIOLATION } from '../database-error.js';
import { keyAlreadyExists } from '../errors.js';
import { tryInsert, tryReplace } from '../rows/objects.sql.js';
/**
 * Asks row security whether the caller may write such an object, before any byte of it is read; rolled back. Row security
 * speaks before the unique key does, so who may not write does not learn what is there.
 * @throws AccessDenied, KeyAlreadyExists, RelatedResourceMissing
 */
export async function askToWrite(deps, call, mode, candidate, signal) {
    const statement = mode === 'replace' ? tryReplace(candidate) : tryInsert(candidate);
    await askAsCaller(deps, call, [statement], signal, 'roll back', keyTaken);
}
/** A key that is taken, in the words of those who write objects. */
export const keyTaken = (error) => sqlstateOf(error) === UNIQUE_VIOLATION ? keyAlreadyExists({ cause: error }) : fromDatabase(error);
/** What a policy can read of bytes that are not there yet; what is unknown is absent. */
export const announcedMetadata = (mediaType, length) => JSON.stringify({ ...(mediaType === null ? {} : { mimetype: mediaType }), ...(length === null ? {} : { contentLength: length }) });
