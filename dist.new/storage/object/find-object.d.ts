import { ServiceError } from '../../std/service-error.ts';
import type { Call, StorageDeps } from '../deps.ts';
import { type Detail, type ObjectRow } from '../rows/objects.sql.ts';
/** Bucket and key as they stood in the path, decoded; and how much of the row is wanted. */
export type Asked = {
    readonly bucket: string;
    readonly key: string;
    readonly detail: Detail;
};
/** Who wants to read: somebody whose token was accepted; `nobody` in particular; or somebody who may read only what is public, and why. */
export type Reader = {
    readonly call: Call;
    readonly refusal: null | 'nobody' | ServiceError;
};
/**
 * Public buckets are open to everybody without a word from row security; in others nobody sees nothing, not even the bucket, and a
 * caller what row security shows.
 * @throws NoSuchBucket, InvalidKey, NoSuchKey
 */
export declare function findForReader(deps: StorageDeps, { call, refusal }: Reader, asked: Asked, signal: AbortSignal): Promise<ObjectRow>;
/** For the routes without credentials. @throws InvalidBucketName, InvalidKey, NoSuchBucket when it is missing or not public, NoSuchKey */
export declare function findPublic(deps: StorageDeps, call: Call, asked: Asked, signal: AbortSignal): Promise<ObjectRow>;
/** For whoever holds a signed address: row security was asked when it was signed. @throws InvalidKey, NoSuchKey */
export declare function findAsService(deps: StorageDeps, call: Call, asked: Asked, signal: AbortSignal): Promise<ObjectRow>;
