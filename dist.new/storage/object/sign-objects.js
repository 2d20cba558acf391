import { askAsCaller } from '../ask.js';
import { namedKey, pathOf } from '../key.js';
import { signedUrlLife } from '../limits.js';
import { visibleNames } from '../rows/objects.sql.js';
/** A token for each of `paths`, in their order and number; null where the caller may read no such object. @throws InvalidParameter, InvalidKey */
export async function signObjects(deps, call, { bucket, paths, expiresIn }, signal) {
    const life = signedUrlLife(expiresIn, deps.now(), deps.limits);
    const keys = paths.map(namedKey);
    const [rows = []] = await askAsCaller(deps, call, [visibleNames(bucket, keys)], signal);
    const visible = new Set(rows.map(([name]) => name));
    return Promise.all(keys.map((key) => (visible.has(key) ? deps.signUrl({ scope: 'download', url: pathOf(bucket, key) }, life) : null)));
}
