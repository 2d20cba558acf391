import type { Call, StorageDeps } from '../deps.ts';
import { type Candidate } from '../rows/objects.sql.ts';
/** `create` takes the right to insert; `replace` takes those to insert and select, and to update what is there. */
export type WriteMode = 'create' | 'replace';
/**
 * Asks row security whether the caller may write such an object, before any byte of it is read; rolled back. Row security
 * speaks before the unique key does, so who may not write does not learn what is there.
 * @throws AccessDenied, KeyAlreadyExists, RelatedResourceMissing
 */
export declare function askToWrite(deps: StorageDeps, call: Call, mode: WriteMode, candidate: Candidate, signal: AbortSignal): Promise<void>;
/** A key that is taken, in the words of those who write objects. */
export declare const keyTaken: (error: unknown) => unknown;
/** What a policy can read of bytes that are not there yet; what is unknown is absent. */
export declare const announcedMetadata: (mediaType: string | null, length: number | null) => string;
