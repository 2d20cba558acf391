import { NoSuchBytes } from '../../bytes/byte-store.js';
import { bytes } from '../../std/brand.js';
import { bytesMissing, preconditionFailed } from '../errors.js';
import { judge, rangeApplies } from '../preconditions.js';
import { byteRange } from '../range.js';
import { versionId } from '../version.js';
/**
 * Everything HTTP wants to know is decided from the row; then the bytes are opened. An object overwritten between the two may have lost
 * them to the sweeper, so the row is looked up once more; if it still names the same bytes they are missing, which is an alarm.
 * @throws whatever `find` throws; PreconditionFailed, InvalidRange, NoSuchBytes
 */
export async function readObject(deps, find, request, bucket, signal) {
    const first = servable(deps, await find(), bucket);
    const answer = await open(deps, first, request, signal);
    if (answer)
        return answer;
    const second = servable(deps, await find(), bucket);
    const again = second.version === first.version ? null : await open(deps, second, request, signal);
    return again ?? alarm(deps, second, bucket);
}
function servable(deps, row, bucket) {
    const version = versionId(row.version);
    return version !== null && row.size !== null ? { ...row, version, size: row.size } : alarm(deps, row, bucket);
}
/** null: the bytes are gone */
async function open(deps, object, request, signal) {
    const validators = { etag: object.etag, lastModified: object.lastModified };
    const verdict = judge(request.conditions, validators);
    if (verdict === 'failed')
        throw preconditionFailed();
    if (verdict === 'not modified')
        return { kind: 'not modified', object };
    if (request.headersOnly)
        return { kind: 'whole', object, body: null };
    const range = rangeApplies(request.conditions.ifRange, validators) ? byteRange(request.range, object.size) : null;
    try {
        const body = await deps.bytes.get(object.version, { range: range ?? everything(object.size), signal });
        return range ? { kind: 'part', object, range, body } : { kind: 'whole', object, body };
    }
    catch (error) {
        if (error instanceof NoSuchBytes)
            return null;
        throw error;
    }
}
/** Asked for by its length as well, so that a file which is not as long as its row says is an error and not a short answer. */
const everything = (size) => (size === 0 ? null : { first: bytes(0), last: bytes(size - 1) });
function alarm(deps, row, bucket) {
    deps.observe({ kind: 'bytes missing', bucket, version: row.version });
    throw bytesMissing();
}
