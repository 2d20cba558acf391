import { askAsCaller, askAsService } from '../ask.js';
import { accessDenied, noSuchKey } from '../errors.js';
import { deleteObjects, objectExists } from '../rows/objects.sql.js';
/** The bytes follow later. @throws NoSuchKey; AccessDenied when there is one that the caller may not delete, as at the peer */
export async function deleteObject(deps, call, bucket, key, signal) {
    const [gone] = await askAsCaller(deps, call, [deleteObjects(bucket, [key])], signal);
    if (gone?.[0])
        return;
    const [found] = await askAsService(deps, call, [objectExists(bucket, key)], signal);
    throw found?.[0] ? accessDenied() : noSuchKey();
}
