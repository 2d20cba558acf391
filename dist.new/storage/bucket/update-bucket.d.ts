import type { Call, StorageDeps } from '../deps.ts';
import type { BucketId } from '../key.ts';
/** Absent members stay as they are; null takes a limit away. */
export type UpdateBucket = {
    readonly public?: boolean | undefined;
    readonly fileSizeLimit?: number | string | null | undefined;
    readonly allowedMediaTypes?: readonly string[] | null | undefined;
};
/** @throws EntityTooLarge, InvalidMimeType; NoSuchBucket when it is missing or the caller may not change it */
export declare function updateBucket(deps: StorageDeps, call: Call, id: BucketId, command: UpdateBucket, signal: AbortSignal): Promise<void>;
