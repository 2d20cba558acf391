import type { StoredBytes, VersionId } from '../../bytes/byte-store.ts';
import type { PgText, Statement } from '../../sqltext/sql.ts';
import type { Milliseconds } from '../../std/brand.ts';
/** Where and what an upload or copy publishes. Texts as PostgreSQL reads them; null leaves a column empty. */
export type Publication = {
    readonly version: VersionId;
    readonly bucketId: string;
    readonly key: string;
    /** the subject; also the deprecated column `owner` when it is a UUID */
    readonly ownerId: PgText;
    /** JSON text */
    readonly metadata: PgText;
    /** JSON text; null keeps what a replaced row has */
    readonly userMetadata: PgText;
    readonly stored: StoredBytes;
};
/**
 * Before the first byte. The commit of this batch need not reach the disk: an intent lost in a power cut only means that the
 * version is found by listing the store, and nobody can publish it.
 */
export declare const reserveVersion: (version: VersionId, bucketId: string, key: string) => Statement;
/** Says of versions whose bytes still flow that somebody is at work. */
export declare const renewVersions: (versions: readonly VersionId[]) => Statement;
/** Instead of publishing: the bytes, whole or part, are removed soon. Nothing happens when the version was published or taken already. */
export declare const abandonVersion: (version: VersionId) => Statement;
/**
 * Exclusive create, as service. One row always: `reserved` (t/f), then id, created_at, updated_at, which are null when no row was made.
 * - reserved = f: the intent was taken by the sweeper meanwhile (or by an earlier try of ours); nothing was written
 * - reserved = t and id null: somebody else's object has the key; the bytes are in the outbox
 * @throws SQLSTATE 23503 when the bucket is gone: then abandon the version
 */
export declare const publishNew: (publication: Publication) => Statement;
/**
 * Create or replace, as service; answers as {@link publishNew}. A replaced row keeps id and created_at, and its owner when nobody
 * is known to own the new bytes; the version it had goes to the outbox by trigger.
 */
export declare const publishOver: (publication: Publication) => Statement;
/** Intents nobody renewed for so long are somebody's crash: their versions go to the outbox. Answers one row with the number. */
export declare const expireIntents: (graceMs: Milliseconds) => Statement;
/** How many intents {@link expireIntents} would take. */
export declare const countExpiredIntents: (graceMs: Milliseconds) => Statement;
/** Due versions in ascending order, so that one that cannot be removed holds up no other. */
export declare const nextOutbox: (after: VersionId | null, delayMs: Milliseconds, limit: number) => Statement;
export declare const forgetOutbox: (versions: readonly VersionId[]) => Statement;
/** The wait doubles from a second to an hour. */
export declare const postponeOutbox: (versions: readonly VersionId[]) => Statement;
export declare const uuidArray: (versions: readonly VersionId[]) => string;
