import type { Call, StorageDeps } from '../deps.ts';
import type { BucketId, ObjectKey } from '../key.ts';
export type MoveObject = {
    readonly bucket: BucketId;
    readonly key: ObjectKey;
    readonly toBucket: BucketId;
    readonly toKey: ObjectKey;
};
/**
 * One row changes, as the caller; the bytes stay where they are, so its size does not matter. Into another bucket it goes only if
 * that bucket would have taken it, which is looked at between asking row security and doing it.
 * @throws NoSuchKey, AccessDenied, ResourceAlreadyExists, RelatedResourceMissing, EntityTooLarge, InvalidMimeType
 */
export declare function moveObject(deps: StorageDeps, call: Call, command: MoveObject, signal: AbortSignal): Promise<void>;
