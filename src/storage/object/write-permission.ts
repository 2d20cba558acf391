import { askAsCaller } from '../ask.ts'
import { fromDatabase, sqlstateOf, UNIQUE_VIOLATION } from '../database-error.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { keyAlreadyExists } from '../errors.ts'
import { type Candidate, tryInsert, tryReplace } from '../rows/objects.sql.ts'

/** `create` takes the right to insert; `replace` takes those to insert and select, and to update what is there. */
export type WriteMode = 'create' | 'replace'

/**
 * Asks row security whether the caller may write such an object, before any byte of it is read; rolled back. Row security
 * speaks before the unique key does, so who may not write does not learn what is there.
 * @throws AccessDenied, KeyAlreadyExists, RelatedResourceMissing
 */
export async function askToWrite(deps: StorageDeps, call: Call, mode: WriteMode, candidate: Candidate, signal: AbortSignal): Promise<void> {
  const statement = mode === 'replace' ? tryReplace(candidate) : tryInsert(candidate)
  await askAsCaller(deps, call, [statement], signal, 'roll back', keyTaken)
}

/** A key that is taken, in the words of those who write objects. */
export const keyTaken = (error: unknown): unknown =>
  sqlstateOf(error) === UNIQUE_VIOLATION ? keyAlreadyExists({ cause: error }) : fromDatabase(error)

/** What a policy can read of bytes that are not there yet; what is unknown is absent. */
export const announcedMetadata = (mediaType: string | null, length: number | null): string =>
  JSON.stringify({ ...(mediaType === null ? {} : { mimetype: mediaType }), ...(length === null ? {} : { contentLength: length }) })
