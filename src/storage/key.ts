import type { Brand } from '../std/brand.ts'
import { bucketNameInvalid, invalidKey } from './errors.ts'
import { isWellFormed, toWellFormed } from './well-formed.ts'

/** What paths name a bucket by. Equal to its name unless whoever made it gave both. */
export type BucketId = Brand<string, 'BucketId'>

/** The name of an object inside its bucket: decoded once where it came in, never again. */
export type ObjectKey = Brand<string, 'ObjectKey'>

/** A bucket's name and id are 1 to 100 characters; the trigger on storage.buckets says the same. */
export const MAX_BUCKET_NAME_CHARACTERS = 100

/** Bytes, as S3 has it. With a bucket id beside it an index row stays below a third of a page (2,704 bytes, PostgreSQL manual 64.1). */
export const MAX_KEY_BYTES = 1024

const BUCKET = /^[\w!.*'() &$=@;:+,?-]+$/
const KEY = /^[\w!.*'() &$=@;:+,?/-]+$/

/** Names ending so belong to table buckets of the peer. */
const RESERVED_SUFFIX = '--table-s3'

/** @throws InvalidBucketName */
export function bucketId(text: string): BucketId {
  if (text.length > MAX_BUCKET_NAME_CHARACTERS || !BUCKET.test(text) || text.endsWith(RESERVED_SUFFIX)) throw bucketNameInvalid()
  return text as BucketId
}

/** For a bucket about to be made: no blank at either end, too. @throws InvalidBucketName */
export function newBucketId(text: string): BucketId {
  if (text.trim() !== text) throw bucketNameInvalid()
  return bucketId(text)
}

/** An id as it stood in the path of a read: an impossible one is of no bucket, so it is looked up like any other. */
export const askedBucketId = (text: string): BucketId => text as BucketId

/**
 * A key as the peer lets it be asked for. Dot segments and over-long keys are well-formed here: no object has them,
 * so a reader is told that there is none.
 * @throws InvalidKey
 */
export function objectKey(text: string): ObjectKey {
  if (!isObjectKey(text)) throw invalidKey(text)
  return text as ObjectKey
}

export const isObjectKey = (text: string): text is ObjectKey => KEY.test(text)

/** A key about to be written: dot segments are refused, since clients and proxies resolve them (RFC 3986 5.2.4). @throws InvalidKey */
export function newObjectKey(text: string): ObjectKey {
  const key = objectKey(text)
  if (text.length > MAX_KEY_BYTES || text.split('/').some((segment) => segment === '.' || segment === '..')) throw invalidKey(text)
  return key
}

/**
 * A key in a request body that only has to name what is there: sources, and lists of keys. Nothing is asked of it but that
 * it can be a PostgreSQL text at all: no NUL, no half of a surrogate pair.
 * @throws InvalidKey
 */
export function namedKey(text: string): ObjectKey {
  if (text.includes('\0') || !isWellFormed(text)) throw invalidKey(toWellFormed(text).replaceAll('\0', '\\0'))
  return text as ObjectKey
}

/** The name of an object as signed addresses and answers give it: bucket and key. */
export const pathOf = (bucket: BucketId, key: ObjectKey): string => `${bucket}/${key}`

/** Dashboards keep an empty folder alive by an empty object of this name; its type does not matter. */
export const isFolderPlaceholder = (key: string): boolean => key.endsWith('.emptyFolderPlaceholder')
