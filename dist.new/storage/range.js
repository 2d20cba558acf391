import { bytes } from '../std/brand.js';
import { RangeNotSatisfiable } from './errors.js';
/**
 * The part of an object that a Range header asks for; null: all of it. RFC 9110 14.1.2: several ranges, foreign units and what is
 * no range at all are passed over, so the caller gets the whole.
 * @throws RangeNotSatisfiable for a range that begins behind the end, and for an empty suffix
 */
export function byteRange(header, size) {
    const match = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '');
    if (!match)
        return null;
    const [, from = '', to = ''] = match;
    if (from === '')
        return to === '' ? null : suffix(position(to), size);
    const first = position(from);
    const last = to === '' ? size - 1 : Math.min(position(to), size - 1);
    if (to !== '' && position(to) < first)
        return null;
    if (first >= size)
        throw new RangeNotSatisfiable(size);
    return { first: bytes(first), last: bytes(last) };
}
function suffix(length, size) {
    if (length === 0 || size === 0)
        throw new RangeNotSatisfiable(size);
    return { first: bytes(Math.max(0, size - length)), last: bytes(size - 1) };
}
/** No object is as long as the largest exact number, so beyond it every position is the same one. */
const position = (digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
export const contentRange = (range, size) => `bytes ${range.first}-${range.last}/${size}`;
