import { bytes } from '../std/brand.js';
import { entityTooLarge, invalidFileSize, invalidParameter } from './errors.js';
const UNITS = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };
/** A bucket's limit as callers write it: a number of bytes, or `20MB` in decimal units; fractions of a byte are dropped. */
export const FILE_SIZE_PATTERN = '^[0-9]+(?:\\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$';
/** @throws InvalidRequest, EntityTooLarge when it is over the server's limit or no exact number */
export function fileSizeLimit(limit, maxObjectBytes) {
    const size = typeof limit === 'number' ? limit : parseSize(limit);
    if (size > (maxObjectBytes ?? Number.MAX_SAFE_INTEGER))
        throw entityTooLarge();
    return bytes(size);
}
function parseSize(text) {
    const match = /^(\d+(?:\.\d+)?)([gmk]?b)$/i.exec(text);
    const factor = UNITS[match?.[2]?.toLowerCase() ?? ''];
    if (!match?.[1] || factor === undefined)
        throw invalidFileSize();
    // 52.4 * 1e6 is 52400000.00000001 in binary: a millionth of a byte is noise
    return Math.floor(Number((Number(match[1]) * factor).toFixed(6)));
}
/** The peer's bound: further off than that, its clock arithmetic in milliseconds is no longer exact. */
const FURTHEST_SECOND = Math.floor(Number.MAX_SAFE_INTEGER / 1000);
/** @throws InvalidParameter */
export function signedUrlLife(expiresIn, now, limits) {
    const furthest = FURTHEST_SECOND - Math.floor(now.getTime() / 1000);
    if (expiresIn > furthest || expiresIn > limits.maxSignedUrlLife)
        throw invalidParameter('Invalid Parameter expiresIn');
    return expiresIn;
}
