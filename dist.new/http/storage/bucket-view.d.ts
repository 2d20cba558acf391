import type { FastifyRequest } from 'fastify';
import type { BucketRecord } from '../../storage/rows/buckets.sql.ts';
export type ListedBucket = BucketRecord & {
    readonly type?: 'STANDARD';
};
/** A bucket in a list has a type, but for clients too old to expect one (storage3 before 0.12, supabase-py before 2.18). */
export declare function listedBuckets(request: FastifyRequest, buckets: readonly BucketRecord[]): readonly ListedBucket[];
