import { JsonNumber } from './json.js';
/** The text is no JSON (RFC 8259), or nests deeper than the limit. `position` is a 0-based UTF-16 index. */
export class JsonFault extends Error {
    name = 'JsonFault';
    position;
    constructor(message, position) {
        super(message);
        this.position = position;
    }
}
/** Deeper than variables of any schema get: filters nest 20 deep, JSON columns are written as text. */
export const MAX_JSON_DEPTH = 200;
/**
 * Reads JSON as `JSON.parse` does, but keeps the text of numbers, so that 64-bit integers and long decimals survive.
 * Of a key given twice the last counts. Strings may hold U+0000 and halves of surrogate pairs (RFC 8259 8.2):
 * whoever takes a value out refuses them (`valueFrom`).
 * @throws JsonFault
 */
export function readJson(text) {
    let at = 0;
    const readValue = (depth) => {
        skipSpace();
        switch (text.charCodeAt(at)) {
            case OPEN_BRACE:
                return readObject(depth);
            case OPEN_BRACKET:
                return readList(depth);
            case QUOTE:
                return readString();
            case LETTER_T:
                return readWord('true', true);
            case LETTER_F:
                return readWord('false', false);
            case LETTER_N:
                return readWord('null', null);
            default:
                return readNumber();
        }
    };
    const readObject = (depth) => {
        enter(depth);
        const object = Object.create(null);
        if (skipped(CLOSE_BRACE))
            return object;
        do {
            skipSpace();
            if (text.charCodeAt(at) !== QUOTE)
                throw unexpected();
            const key = readString();
            if (!skipped(COLON))
                throw unexpected();
            object[key] = readValue(depth + 1);
        } while (skipped(COMMA));
        if (!skipped(CLOSE_BRACE))
            throw unexpected();
        return object;
    };
    const readList = (depth) => {
        enter(depth);
        const list = [];
        if (skipped(CLOSE_BRACKET))
            return list;
        do
            list.push(readValue(depth + 1));
        while (skipped(COMMA));
        if (!skipped(CLOSE_BRACKET))
            throw unexpected();
        return list;
    };
    const enter = (depth) => {
        if (depth >= MAX_JSON_DEPTH)
            throw new JsonFault(`JSON nests deeper than ${MAX_JSON_DEPTH} levels`, at);
        at++;
    };
    const readString = () => {
        const start = at;
        let escaped = false;
        for (at++;; at++) {
            const code = text.charCodeAt(at);
            if (code === QUOTE)
                break;
            if (code === BACKSLASH) {
                escaped = true;
                at++;
            }
            else if (code < 0x20 || Number.isNaN(code))
                throw unexpected();
        }
        at++;
        if (!escaped)
            return text.slice(start + 1, at - 1);
        try {
            return JSON.parse(text.slice(start, at));
        }
        catch {
            throw new JsonFault('bad escape in a JSON string', start);
        }
    };
    const readNumber = () => {
        NUMBER.lastIndex = at;
        if (!NUMBER.test(text))
            throw unexpected();
        const start = at;
        at = NUMBER.lastIndex;
        return new JsonNumber(text.slice(start, at));
    };
    const readWord = (word, value) => {
        if (!text.startsWith(word, at))
            throw unexpected();
        at += word.length;
        return value;
    };
    const skipped = (character) => {
        skipSpace();
        if (text.charCodeAt(at) !== character)
            return false;
        at++;
        return true;
    };
    const skipSpace = () => {
        for (;; at++) {
            const code = text.charCodeAt(at);
            if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)
                return;
        }
    };
    const unexpected = () => at >= text.length
        ? new JsonFault('unexpected end of JSON', text.length)
        : new JsonFault(`unexpected ${JSON.stringify(text[at])} at position ${at} of the JSON`, at);
    const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    const json = readValue(0);
    skipSpace();
    if (at < text.length)
        throw unexpected();
    return json;
}
/**
 * A JavaScript value as {@link Json}, for callers inside the process: what `JSON.stringify` makes of it, and BigInts as numbers.
 * @throws JsonFault for what cannot be written as JSON: cycles, nesting beyond the limit
 */
export function jsonFrom(value, depth = 0) {
    if (depth > MAX_JSON_DEPTH)
        throw new JsonFault(`JSON nests deeper than ${MAX_JSON_DEPTH} levels, or holds itself`, 0);
    switch (typeof value) {
        case 'string':
        case 'boolean':
            return value;
        case 'number':
            return Number.isFinite(value) ? new JsonNumber(Object.is(value, -0) ? '0' : String(value)) : null;
        case 'bigint':
            return new JsonNumber(value.toString());
        case 'object':
            return jsonFromObject(value, depth);
        default:
            return null;
    }
}
function jsonFromObject(value, depth) {
    if (value === null || value instanceof JsonNumber)
        return value;
    if (Array.isArray(value))
        return value.map((item) => jsonFrom(item, depth + 1));
    if ('toJSON' in value && typeof value.toJSON === 'function')
        return jsonFrom(value.toJSON(), depth + 1);
    const object = Object.create(null);
    for (const [key, member] of Object.entries(value)) {
        if (member !== undefined && typeof member !== 'function')
            object[key] = jsonFrom(member, depth + 1);
    }
    return object;
}
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
