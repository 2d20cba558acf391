import { askAsCaller } from '../ask.js';
import { noSuchBucket } from '../errors.js';
import { bucketRecord, findBucket } from '../rows/buckets.sql.js';
/** @throws NoSuchBucket when it is missing or the caller may not see it */
export async function getBucket(deps, call, id, signal) {
    const [rows] = await askAsCaller(deps, call, [findBucket(id)], signal);
    if (!rows?.[0])
        throw noSuchBucket();
    return bucketRecord(rows[0]);
}
