import type { Call, StorageDeps } from '../deps.ts';
import { type BucketId } from '../key.ts';
/** A token for each of `paths`, in their order and number; null where the caller may read no such object. @throws InvalidParameter, InvalidKey */
export declare function signObjects(deps: StorageDeps, call: Call, { bucket, paths, expiresIn }: {
    readonly bucket: BucketId;
    readonly paths: readonly string[];
    readonly expiresIn: number;
}, signal: AbortSignal): Promise<readonly (string | null)[]>;
