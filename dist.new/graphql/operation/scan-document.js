import { limitExceeded, parseError } from '../errors.js';
/**
 * Looks a document over before it is parsed: one pass, no recursion, so that a hostile text costs its length and nothing else.
 * @throws GraphqlError when it is too long, its brackets nest too deep, or a string has the escape `\u{…}`, which pg_graphql's
 *   grammar (GraphQL October 2021) does not have
 */
export function scanDocument(text, limits) {
    if (text.length > limits.documentCharacters) {
        throw limitExceeded('documentCharacters', limits.documentCharacters, 'characters');
    }
    let depth = 0;
    for (let i = 0; i < text.length; i++) {
        switch (text.charCodeAt(i)) {
            case OPEN_BRACE:
            case OPEN_BRACKET:
            case OPEN_PARENTHESIS:
                if (++depth > limits.brackets) {
                    const words = `Recursion limit exceeded: more than ${limits.brackets} nested brackets (limit brackets)`;
                    throw parseError(placeAt(text, i), words);
                }
                break;
            case CLOSE_BRACE:
            case CLOSE_BRACKET:
            case CLOSE_PARENTHESIS:
                depth--;
                break;
            case HASH:
                while (i < text.length && !isLineEnd(text.charCodeAt(i)))
                    i++;
                break;
            case QUOTE:
                i = text.startsWith('"""', i) ? endOfBlockString(text, i + 3) : endOfString(text, i + 1);
                break;
        }
    }
}
/** 1-based line and column of a UTF-16 index, as graphql-js counts them. */
export function placeAt(text, index) {
    let line = 1;
    let start = 0;
    for (let i = 0; i < index; i++) {
        const code = text.charCodeAt(i);
        if (!isLineEnd(code))
            continue;
        if (code === CARRIAGE_RETURN && text.charCodeAt(i + 1) === LINE_FEED && i + 1 < index)
            i++;
        line++;
        start = i + 1;
    }
    return { line, column: index - start + 1 };
}
/** Index of the closing quote; of the end of the line when there is none, which the parser will name. */
function endOfString(text, from) {
    for (let i = from; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code === QUOTE || isLineEnd(code))
            return i;
        if (code !== BACKSLASH)
            continue;
        i++;
        if (text.startsWith('u{', i)) {
            throw parseError(placeAt(text, from - 1), `Unexpected ${text.slice(i + 1, i + 5)} is not a valid unicode code point`);
        }
    }
    return text.length;
}
function endOfBlockString(text, from) {
    let end = text.indexOf('"""', from);
    while (end > from && text.charCodeAt(end - 1) === BACKSLASH)
        end = text.indexOf('"""', end + 3);
    return end < 0 ? text.length : end + 2;
}
const isLineEnd = (code) => code === LINE_FEED || code === CARRIAGE_RETURN;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const HASH = 0x23;
const OPEN_PARENTHESIS = 0x28;
const CLOSE_PARENTHESIS = 0x29;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
