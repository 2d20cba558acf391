import type { Call, StorageDeps } from '../deps.ts';
import { type BucketId, type ObjectKey } from '../key.ts';
/** A token for one object that the caller may read. @throws InvalidParameter, NoSuchKey */
export declare function signObject(deps: StorageDeps, call: Call, { bucket, key, expiresIn }: {
    readonly bucket: BucketId;
    readonly key: ObjectKey;
    readonly expiresIn: number;
}, signal: AbortSignal): Promise<string>;
