import { askAsCaller } from '../ask.js';
import { tooManyKeys } from '../errors.js';
import { namedKey } from '../key.js';
import { deleteObjects as deleteStatement, objectRecord } from '../rows/objects.sql.js';
/** Keys in one transaction. */
const BATCH = 500;
/** What was deleted of `keys`, which are whole keys and no prefixes; the rest was missing or not the caller's to delete. @throws InvalidRequest, InvalidKey */
export async function deleteObjects(deps, call, bucket, keys, signal) {
    const most = deps.limits.maxBulkKeys;
    if (most !== null && keys.length > most)
        throw tooManyKeys(most);
    const distinct = [...new Set(keys.map(namedKey))];
    const deleted = [];
    for (let at = 0; at < distinct.length; at += BATCH) {
        const [rows = []] = await askAsCaller(deps, call, [deleteStatement(bucket, distinct.slice(at, at + BATCH))], signal);
        deleted.push(...rows.map(objectRecord));
    }
    return deleted;
}
