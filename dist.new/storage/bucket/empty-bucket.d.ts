import type { Call, StorageDeps } from '../deps.ts';
import type { BucketId } from '../key.ts';
/**
 * Removes what lies in the bucket at this moment by the database's clock. What is written or replaced afterwards stays, even
 * while the removal goes on.
 * @throws InvalidRole, NoSuchBucket, TooManyObjects
 */
export declare function emptyBucket(deps: StorageDeps, call: Call, id: BucketId, signal: AbortSignal): Promise<void>;
