import { ServiceError } from '../../std/service-error.ts'
import { askToRead, isService, lookUpAsService } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { noSuchBucket, noSuchKey } from '../errors.ts'
import { askedBucketId, bucketId, isObjectKey, objectKey } from '../key.ts'
import {
  type BucketAndObject,
  bucketAndObject,
  type Detail,
  findObject,
  findWithBucket,
  foundObject,
  type ObjectRow,
} from '../rows/objects.sql.ts'

/** Bucket and key as they stood in the path, decoded; and how much of the row is wanted. */
export type Asked = { readonly bucket: string; readonly key: string; readonly detail: Detail }

/** Who wants to read: somebody whose token was accepted; `nobody` in particular; or somebody who may read only what is public, and why. */
export type Reader = { readonly call: Call; readonly refusal: null | 'nobody' | ServiceError }

/**
 * Public buckets are open to everybody without a word from row security; in others nobody sees nothing, not even the bucket, and a
 * caller what row security shows. A bucket that was private when it was last looked at is likely to be so still: then row security
 * is asked first, and what it shows is the answer, in one trip.
 * @throws NoSuchBucket, InvalidKey, NoSuchKey
 */
export async function findForReader(deps: StorageDeps, { call, refusal }: Reader, asked: Asked, signal: AbortSignal): Promise<ObjectRow> {
  const isTheirs = refusal === null && !isService(call)
  const wasPrivate = isTheirs && deps.privateBuckets.has(asked.bucket) && isObjectKey(asked.key)
  const early = wasPrivate ? await findAsCaller(deps, call, asked, signal) : null
  if (early) return early
  const found = await lookUp(deps, call, asked, signal)
  if (!found || (refusal === 'nobody' && !found.public)) throw noSuchBucket()
  if (refusal instanceof ServiceError && !found.public) throw refusal
  objectKey(asked.key)
  if (found.public || !isTheirs) return found.object ?? missing()
  return (wasPrivate ? null : await findAsCaller(deps, call, asked, signal)) ?? missing()
}

/** What row security shows. In a bucket that has become public since it was last looked at, a policy that fails must not fail twice. */
async function findAsCaller(deps: StorageDeps, call: Call, asked: Asked, signal: AbortSignal): Promise<ObjectRow | null> {
  try {
    const [rows] = await askToRead(
      deps,
      call,
      asked.bucket,
      [findObject(askedBucketId(asked.bucket), objectKey(asked.key), asked.detail)],
      signal,
    )
    return foundObject(rows?.[0])
  } catch (error) {
    deps.privateBuckets.forget(asked.bucket)
    throw error
  }
}

/** For the routes without credentials. @throws InvalidBucketName, InvalidKey, NoSuchBucket when it is missing or not public, NoSuchKey */
export async function findPublic(deps: StorageDeps, call: Call, asked: Asked, signal: AbortSignal): Promise<ObjectRow> {
  bucketId(asked.bucket)
  objectKey(asked.key)
  const found = await lookUp(deps, call, asked, signal)
  if (!found?.public) throw noSuchBucket()
  return found.object ?? missing()
}

/** For whoever holds a signed address: row security was asked when it was signed. @throws InvalidKey, NoSuchKey */
export async function findAsService(deps: StorageDeps, call: Call, asked: Asked, signal: AbortSignal): Promise<ObjectRow> {
  const statement = findObject(askedBucketId(asked.bucket), objectKey(asked.key), asked.detail)
  const [rows] = await lookUpAsService(deps, call, [statement], signal)
  return foundObject(rows?.[0]) ?? missing()
}

/** A NUL is no PostgreSQL text: there is no such bucket; a key's own faults are told once its bucket is known to be there. */
async function lookUp(deps: StorageDeps, call: Call, { bucket, key, detail }: Asked, signal: AbortSignal): Promise<BucketAndObject | null> {
  if (bucket.includes('\0')) return null
  const [rows] = await lookUpAsService(deps, call, [findWithBucket(askedBucketId(bucket), key.includes('\0') ? '' : key, detail)], signal)
  const found = bucketAndObject(rows?.[0])
  if (found && !found.public) deps.privateBuckets.note(bucket)
  else deps.privateBuckets.forget(bucket)
  return found
}

function missing(): never {
  throw noSuchKey()
}
