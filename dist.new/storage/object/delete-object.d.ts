import type { Call, StorageDeps } from '../deps.ts';
import type { BucketId, ObjectKey } from '../key.ts';
/** The bytes follow later. @throws NoSuchKey; AccessDenied when there is one that the caller may not delete, as at the peer */
export declare function deleteObject(deps: StorageDeps, call: Call, bucket: BucketId, key: ObjectKey, signal: AbortSignal): Promise<void>;
