import type { Row } from '../../pg/scoped-batch.ts';
import { type Statement } from '../../sqltext/sql.ts';
import { type Bytes } from '../../std/brand.ts';
import type { BucketRules } from '../admit.ts';
import type { BucketId } from '../key.ts';
/** A bucket as the API shows it. */
export type BucketRecord = {
    readonly id: string;
    readonly name: string;
    /** empty, never null, where nobody owns it: clients read it as a string */
    readonly owner: string;
    readonly public: boolean;
    readonly file_size_limit: number | null;
    readonly allowed_mime_types: readonly string[] | null;
    readonly created_at: string | null;
    readonly updated_at: string | null;
};
export type NewBucket = {
    readonly id: BucketId;
    readonly name: string;
    readonly ownerId: string | null;
    readonly public: boolean;
    readonly fileSizeLimit: Bytes | null;
    readonly allowedMediaTypes: readonly string[] | null;
};
/** No RETURNING: making a bucket takes the right to insert alone. */
export declare const insertBucket: (bucket: NewBucket) => Statement;
export declare function bucketRecord(row: Row): BucketRecord;
export declare const findBucket: (id: BucketId) => Statement;
export type BucketOrder = {
    readonly column: 'id' | 'name' | 'created_at' | 'updated_at';
    readonly direction: 'asc' | 'desc';
};
export type BucketQuery = {
    /** part of the name, in any case; null: all */
    readonly search: string | null;
    readonly order: BucketOrder | null;
    readonly limit: number | null;
    readonly offset: number;
};
/** Names are compared by bytes, so the order is the same in every locale; ties by id. */
export declare function listBuckets({ search, order, limit, offset }: BucketQuery): Statement;
/** Absent members stay as they are. */
export type BucketChanges = {
    readonly public?: boolean;
    readonly fileSizeLimit?: Bytes | null;
    readonly allowedMediaTypes?: readonly string[] | null;
};
/** One row when there was one to change. */
export declare function updateBucket(id: BucketId, changes: BucketChanges): Statement;
/** As service: one row when the bucket exists, `t` when something lies in it. */
export declare const isBucketFull: (id: BucketId) => Statement;
/** One row when there was one. A bucket that holds objects is kept by their foreign key. */
export declare const deleteBucket: (id: BucketId) => Statement;
/** As service: what the bucket asks of objects, and what lies under the key now. No row: no bucket. */
export declare const findUploadRules: (id: BucketId, key: string) => Statement;
/** `current`: the object that has the key; its ETag is null where the row was put in by hand. */
export type UploadRules = BucketRules & {
    readonly current: {
        readonly version: string | null;
        readonly etag: string | null;
    } | null;
};
export declare function uploadRules(row: Row | undefined): UploadRules | null;
