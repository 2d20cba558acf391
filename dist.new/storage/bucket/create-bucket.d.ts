import type { Call, StorageDeps } from '../deps.ts';
export type CreateBucket = {
    readonly name: string;
    /** empty: the name */
    readonly id: string;
    readonly public: boolean;
    readonly fileSizeLimit: number | string | null;
    readonly allowedMediaTypes: readonly string[] | null;
};
/** @throws InvalidBucketName, EntityTooLarge, InvalidMimeType, AccessDenied, BucketAlreadyExists */
export declare function createBucket(deps: StorageDeps, call: Call, command: CreateBucket, signal: AbortSignal): Promise<void>;
