import { askAsCaller } from '../ask.js';
import { noSuchKey } from '../errors.js';
import { pathOf } from '../key.js';
import { signedUrlLife } from '../limits.js';
import { visibleNames } from '../rows/objects.sql.js';
/** A token for one object that the caller may read. @throws InvalidParameter, NoSuchKey */
export async function signObject(deps, call, { bucket, key, expiresIn }, signal) {
    const life = signedUrlLife(expiresIn, deps.now(), deps.limits);
    const [found] = await askAsCaller(deps, call, [visibleNames(bucket, [key])], signal);
    if (!found?.[0])
        throw noSuchKey();
    return deps.signUrl({ scope: 'download', url: pathOf(bucket, key) }, life);
}
