import { type Bytes, type Seconds } from '../std/brand.ts';
/** The numbers a deployment sets for the storage face. */
export type StorageLimits = {
    /** the largest object, and the largest limit a bucket may have; null: none */
    readonly maxObjectBytes: Bytes | null;
    /** a further limit for uploads in one request; null: none */
    readonly maxPlainUploadBytes: Bytes | null;
    /** objects a bucket may hold and still be emptied by one call */
    readonly maxObjectsToEmpty: number;
    /** keys in one bulk deletion; null: none */
    readonly maxBulkKeys: number | null;
    /** life of an address to upload to */
    readonly uploadUrlLife: Seconds;
    /** longest life a caller may give an address to read from */
    readonly maxSignedUrlLife: Seconds;
    /** user metadata of one object, as JSON */
    readonly maxUserMetadataBytes: Bytes;
};
/** A bucket's limit as callers write it: a number of bytes, or `20MB` in decimal units; fractions of a byte are dropped. */
export declare const FILE_SIZE_PATTERN = "^[0-9]+(?:\\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$";
/** @throws InvalidRequest, EntityTooLarge when it is over the server's limit or no exact number */
export declare function fileSizeLimit(limit: number | string, maxObjectBytes: Bytes | null): Bytes;
/** @throws InvalidParameter */
export declare function signedUrlLife(expiresIn: number, now: Date, limits: StorageLimits): Seconds;
