import type { Row } from '../../pg/scoped-batch.ts';
import type { Statement } from '../../sqltext/sql.ts';
import type { BucketId, ObjectKey } from '../key.ts';
/** What an object is served and described from. Texts as the row has them; a row put in by hand may lack any of them. */
export type ObjectRow = {
    readonly id: string;
    readonly version: string | null;
    readonly mediaType: string | null;
    readonly size: number | null;
    /** strong, with its quotes (RFC 9110 8.8.3) */
    readonly etag: string | null;
    readonly cacheControl: string | null;
    readonly robotsTag: string | null;
    readonly lastModified: Date;
    readonly createdAt: string | null;
    readonly updatedAt: string | null;
    /** JSON text; null, too, where it was not asked for */
    readonly userMetadata: string | null;
};
/** User metadata may be a mebibyte: only those who describe an object want it. */
export type Detail = 'to serve' | 'to describe';
/** As service, for the routes that ask the bucket first: no row: no bucket; else whether it is public, and the object where there is one. */
export declare const findWithBucket: (bucket: BucketId, key: string, detail: Detail) => Statement;
export type BucketAndObject = {
    readonly public: boolean;
    readonly object: ObjectRow | null;
};
export declare function bucketAndObject(row: Row | undefined): BucketAndObject | null;
export declare const findObject: (bucket: BucketId, key: ObjectKey, detail: Detail) => Statement;
export declare const foundObject: (row: Row | undefined) => ObjectRow | null;
/** What a policy may look at before the bytes are there. Texts are JSON. */
export type Candidate = {
    readonly bucket: BucketId;
    readonly key: ObjectKey;
    readonly ownerId: string | null;
    readonly metadata: string;
    readonly userMetadata: string | null;
};
/** To be rolled back. No RETURNING: a caller who may only insert may upload. */
export declare const tryInsert: (candidate: Candidate) => Statement;
/** To be rolled back. Row security asks for insert and select, and for update where the key is taken. */
export declare const tryReplace: (candidate: Candidate) => Statement;
/** Where a copy goes, and what it says differently from its source: `metadata` and `userMetadata` are JSON texts, null leaves the source's. */
export type CopyTarget = {
    readonly bucket: BucketId;
    readonly key: ObjectKey;
    readonly ownerId: string | null;
    readonly metadata: string | null;
    readonly keepUserMetadata: boolean;
    readonly userMetadata: string | null;
};
/** To be rolled back, in a batch with {@link findObject} of the source: without a visible source nothing is inserted. */
export declare const tryCopyNew: (bucket: BucketId, key: ObjectKey, target: CopyTarget) => Statement;
/** As {@link tryCopyNew}, over what may be there. */
export declare const tryCopyOver: (bucket: BucketId, key: ObjectKey, target: CopyTarget) => Statement;
/**
 * One row when the caller may see and change the source. The bytes stay where they are; who moves becomes the owner.
 * Row security sees the new row whole, with its new bucket and name.
 */
export declare const moveObject: (bucket: BucketId, key: ObjectKey, to: {
    readonly bucket: BucketId;
    readonly key: ObjectKey;
    readonly ownerId: string | null;
}) => Statement;
/** An object as lists of what was deleted and answers to copies show it. */
export type ObjectRecord = {
    readonly name: string;
    readonly bucket_id: string;
    readonly owner: string;
    readonly owner_id: string;
    readonly version: string;
    readonly id: string;
    readonly updated_at: string | null;
    readonly created_at: string | null;
    readonly last_accessed_at: string | null;
    /** JSON texts, as the row has them */
    readonly metadata: string | null;
    readonly user_metadata: string | null;
};
export declare function objectRecord(row: Row): ObjectRecord;
export declare const recordObject: (bucket: BucketId, key: ObjectKey) => Statement;
/** One row for each that the caller may see and delete. Bytes are released by trigger. */
export declare const deleteObjects: (bucket: BucketId, keys: readonly ObjectKey[]) => Statement;
/** As service: one row when there is such an object at all. */
export declare const objectExists: (bucket: BucketId, key: ObjectKey) => Statement;
/** The names among `keys` that the caller may see. */
export declare const visibleNames: (bucket: BucketId, keys: readonly ObjectKey[]) => Statement;
/** One row: how many objects lie in the bucket, counted no further than `most`; and what time the database has. */
export declare const countObjects: (bucket: BucketId, most: number) => Statement;
/** As service: up to `limit` of the objects that have lain there unchanged since before `instant` (a timestamptz of the database's). */
export declare const deleteUnchanged: (bucket: BucketId, instant: string, limit: number) => Statement;
/**
 * As service, in front of a publication: locks the row and fails (SQLSTATE 22012, division by zero) unless it still has that version,
 * which undoes the whole batch. So a conditional write cannot lose another one.
 */
export declare const requireVersion: (bucket: BucketId, key: ObjectKey, version: string) => Statement;
export declare const VERSION_CHANGED = "22012";
