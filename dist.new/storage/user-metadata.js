import { entityTooLarge, invalidParameter } from './errors.js';
import { isWellFormed } from './well-formed.js';
export const NO_METADATA = '{}';
/**
 * From the text of a form field or a decoded header. Text that is no JSON, and null, numbers and booleans count as none, as at the peer.
 * @throws InvalidParameter for lists and strings, for NUL and halves of surrogate pairs (jsonb cannot hold them), for numbers beyond numeric
 * @throws EntityTooLarge
 */
export function userMetadata(text, maxBytes) {
    if (!text)
        return null;
    // a character is at least a byte: what is longer in characters need not be measured
    if (text.length > maxBytes || utf8Length(text) > maxBytes)
        throw entityTooLarge('user_metadata');
    let value;
    try {
        value = JSON.parse(text);
    }
    catch {
        return null;
    }
    if (typeof value === 'string' || Array.isArray(value))
        throw invalidParameter('invalid input syntax for type json');
    if (typeof value !== 'object' || value === null)
        return NO_METADATA;
    if (!isStorable(value))
        throw invalidParameter('invalid input syntax for type json');
    return text;
}
const MAX_DEPTH = 1000;
function isStorable(value) {
    const rest = [{ node: value, depth: 1 }];
    for (let next = rest.pop(); next; next = rest.pop()) {
        const { node, depth } = next;
        if (typeof node === 'string' && !isText(node))
            return false;
        if (typeof node === 'number' && !Number.isFinite(node))
            return false;
        if (typeof node !== 'object' || node === null)
            continue;
        if (depth > MAX_DEPTH)
            return false;
        for (const [key, child] of Object.entries(node)) {
            if (!isText(key))
                return false;
            rest.push({ node: child, depth: depth + 1 });
        }
    }
    return true;
}
const isText = (text) => !text.includes('\0') && isWellFormed(text);
function utf8Length(text) {
    let length = 0;
    for (const character of text) {
        const point = character.codePointAt(0) ?? 0;
        length += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    }
    return length;
}
