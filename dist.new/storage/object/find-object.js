import { ServiceError } from '../../std/service-error.js';
import { askAsCaller, askAsService, isService } from '../ask.js';
import { noSuchBucket, noSuchKey } from '../errors.js';
import { askedBucketId, bucketId, objectKey } from '../key.js';
import { bucketAndObject, findObject, findWithBucket, foundObject, } from '../rows/objects.sql.js';
/**
 * Public buckets are open to everybody without a word from row security; in others nobody sees nothing, not even the bucket, and a
 * caller what row security shows.
 * @throws NoSuchBucket, InvalidKey, NoSuchKey
 */
export async function findForReader(deps, { call, refusal }, asked, signal) {
    const found = await lookUp(deps, call, asked, signal);
    if (!found || (refusal === 'nobody' && !found.public))
        throw noSuchBucket();
    if (refusal instanceof ServiceError && !found.public)
        throw refusal;
    const key = objectKey(asked.key);
    if (found.public || isService(call))
        return found.object ?? missing();
    const [rows] = await askAsCaller(deps, call, [findObject(askedBucketId(asked.bucket), key, asked.detail)], signal);
    return foundObject(rows?.[0]) ?? missing();
}
/** For the routes without credentials. @throws InvalidBucketName, InvalidKey, NoSuchBucket when it is missing or not public, NoSuchKey */
export async function findPublic(deps, call, asked, signal) {
    bucketId(asked.bucket);
    objectKey(asked.key);
    const found = await lookUp(deps, call, asked, signal);
    if (!found?.public)
        throw noSuchBucket();
    return found.object ?? missing();
}
/** For whoever holds a signed address: row security was asked when it was signed. @throws InvalidKey, NoSuchKey */
export async function findAsService(deps, call, asked, signal) {
    const statement = findObject(askedBucketId(asked.bucket), objectKey(asked.key), asked.detail);
    const [rows] = await askAsService(deps, call, [statement], signal);
    return foundObject(rows?.[0]) ?? missing();
}
/** A NUL is no PostgreSQL text: there is no such bucket; a key's own faults are told once its bucket is known to be there. */
async function lookUp(deps, call, { bucket, key, detail }, signal) {
    if (bucket.includes('\0'))
        return null;
    const [rows] = await askAsService(deps, call, [findWithBucket(askedBucketId(bucket), key.includes('\0') ? '' : key, detail)], signal);
    return bucketAndObject(rows?.[0]);
}
function missing() {
    throw noSuchKey();
}
