import type { VersionId } from '../../bytes/byte-store.ts';
import type { Call, StorageDeps } from '../deps.ts';
import type { BucketId, ObjectKey } from '../key.ts';
import { type Publication } from '../rows/ledger.sql.ts';
import { type ObjectRecord } from '../rows/objects.sql.ts';
/** What becomes of an object that is there already: it stays, it is replaced, or it is replaced only if it still is `version`. */
export type Replacing = {
    readonly kind: 'never';
} | {
    readonly kind: 'always';
} | {
    readonly kind: 'only';
    readonly version: string;
};
/**
 * The commit: the row names the new bytes, the old ones go to the outbox, the reservation ends, in one transaction. It is never given up
 * because the caller went away. When the connection breaks nobody knows whether it happened, so it is asked for once more:
 * a reservation can be used only once, and a row that names our version says that it was.
 * @throws KeyAlreadyExists, PreconditionFailed, UploadInterrupted, RelatedResourceMissing
 */
export declare function publish(deps: StorageDeps, call: Pick<Call, 'settings'>, replacing: Replacing, publication: Publication & {
    readonly bucketId: BucketId;
    readonly key: ObjectKey;
}): Promise<ObjectRecord>;
/** Bytes that will not be published, whole or part, are for the sweeper; if even saying so fails, their reservation runs out. */
export declare function giveUp(deps: StorageDeps, call: Pick<Call, 'settings'>, version: VersionId): void;
