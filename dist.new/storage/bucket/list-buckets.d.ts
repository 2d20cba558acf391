import type { Call, StorageDeps } from '../deps.ts';
import { type BucketQuery, type BucketRecord } from '../rows/buckets.sql.ts';
/** The buckets the caller may see. */
export declare function listBuckets(deps: StorageDeps, call: Call, query: BucketQuery, signal: AbortSignal): Promise<readonly BucketRecord[]>;
