import type { Call, StorageDeps } from '../deps.ts';
import { type BucketId } from '../key.ts';
import { type ObjectRecord } from '../rows/objects.sql.ts';
/** What was deleted of `keys`, which are whole keys and no prefixes; the rest was missing or not the caller's to delete. @throws InvalidRequest, InvalidKey */
export declare function deleteObjects(deps: StorageDeps, call: Call, bucket: BucketId, keys: readonly string[], signal: AbortSignal): Promise<readonly ObjectRecord[]>;
