import { askAsCaller } from '../ask.js';
import { bucketRecord, listBuckets as listStatement } from '../rows/buckets.sql.js';
/** The buckets the caller may see. */
export async function listBuckets(deps, call, query, signal) {
    const [rows = []] = await askAsCaller(deps, call, [listStatement(query)], signal);
    return rows.map(bucketRecord);
}
