import type { Call, StorageDeps } from '../deps.ts';
import type { BucketId } from '../key.ts';
/**
 * A bucket with anything in it stays, whoever can see that: the service looks first, so that a caller without rights hears of it too, as at
 * the peer; the foreign key of the objects has the last word, so that an upload published in between is not orphaned.
 * @throws NoSuchBucket when it is missing or the caller may not delete it, ResourceNotEmpty
 */
export declare function deleteBucket(deps: StorageDeps, call: Call, id: BucketId, signal: AbortSignal): Promise<void>;
