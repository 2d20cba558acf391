import type { Call, StorageDeps } from '../deps.ts';
import type { BucketId } from '../key.ts';
import { type BucketRecord } from '../rows/buckets.sql.ts';
/** @throws NoSuchBucket when it is missing or the caller may not see it */
export declare function getBucket(deps: StorageDeps, call: Call, id: BucketId, signal: AbortSignal): Promise<BucketRecord>;
