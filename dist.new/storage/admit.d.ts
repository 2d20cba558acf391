import { type Bytes } from '../std/brand.ts';
import type { StorageLimits } from './limits.ts';
/** What a bucket asks of its objects. */
export type BucketRules = {
    readonly fileSizeLimit: Bytes | null;
    /** null or empty: any */
    readonly allowedMediaTypes: readonly string[] | null;
};
/** The most an upload may bring: the least of the server's limits and the bucket's. A folder's placeholder is empty. */
export declare function maxUploadBytes(key: string, rules: BucketRules, limits: StorageLimits): Bytes;
/** The most that may come into a bucket by copy or move: no request brings it, so the limit for single requests does not apply. */
export declare function maxStoredBytes(key: string, rules: BucketRules, limits: StorageLimits): Bytes;
/**
 * What a bucket takes of objects that are here already.
 * @throws EntityTooLarge, InvalidMimeType
 */
export declare function admitStored({ size, mediaType }: {
    readonly size: number | null;
    readonly mediaType: string | null;
}, key: string, rules: BucketRules, limits: StorageLimits): void;
/** @throws EntityTooLarge */
export declare function admitSize(declared: Bytes | null, max: Bytes): void;
/** @throws InvalidMimeType, also for what could not be sent back in a header */
export declare function admitMediaType(type: string, key: string, rules: BucketRules): void;
/** @throws InvalidHeaderValue for what could not be sent back in a header */
export declare function admitCacheControl(value: string): void;
/** A bucket's list as it is stored: empty entries dropped. @throws InvalidMimeType */
export declare function allowedMediaTypes(types: readonly string[]): readonly string[];
