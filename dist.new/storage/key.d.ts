import type { Brand } from '../std/brand.ts';
/** What paths name a bucket by. Equal to its name unless whoever made it gave both. */
export type BucketId = Brand<string, 'BucketId'>;
/** The name of an object inside its bucket: decoded once where it came in, never again. */
export type ObjectKey = Brand<string, 'ObjectKey'>;
/** A bucket's name and id are 1 to 100 characters; the trigger on storage.buckets says the same. */
export declare const MAX_BUCKET_NAME_CHARACTERS = 100;
/** Bytes, as S3 has it. With a bucket id beside it an index row stays below a third of a page (2,704 bytes, PostgreSQL manual 64.1). */
export declare const MAX_KEY_BYTES = 1024;
/** @throws InvalidBucketName */
export declare function bucketId(text: string): BucketId;
/** For a bucket about to be made: no blank at either end, too. @throws InvalidBucketName */
export declare function newBucketId(text: string): BucketId;
/** An id as it stood in the path of a read: an impossible one is of no bucket, so it is looked up like any other. */
export declare const askedBucketId: (text: string) => BucketId;
/**
 * A key as the peer lets it be asked for. Dot segments and over-long keys are well-formed here: no object has them,
 * so a reader is told that there is none.
 * @throws InvalidKey
 */
export declare function objectKey(text: string): ObjectKey;
/** A key about to be written: dot segments are refused, since clients and proxies resolve them (RFC 3986 5.2.4). @throws InvalidKey */
export declare function newObjectKey(text: string): ObjectKey;
/**
 * A key in a request body that only has to name what is there: sources, and lists of keys. Nothing is asked of it but that
 * it can be a PostgreSQL text at all: no NUL, no half of a surrogate pair.
 * @throws InvalidKey
 */
export declare function namedKey(text: string): ObjectKey;
/** The name of an object as signed addresses and answers give it: bucket and key. */
export declare const pathOf: (bucket: BucketId, key: ObjectKey) => string;
/** Dashboards keep an empty folder alive by an empty object of this name; its type does not matter. */
export declare const isFolderPlaceholder: (key: string) => boolean;
