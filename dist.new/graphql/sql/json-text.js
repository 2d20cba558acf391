import { constant, join, literal } from '../../sqltext/sql.js';
/** `{"key":value,…}`, keys in the order given. */
export function jsonObject(members) {
    return ['{', ...members.flatMap(({ key, value }, i) => [`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`, ...value]), '}'];
}
/** The pieces as one SQL expression: neighbouring constants made one, everything joined by `||`. */
export function concatenation(text) {
    const pieces = [];
    let run = '';
    for (const piece of text) {
        if (typeof piece === 'string')
            run += piece;
        else {
            if (run)
                pieces.push(literal(run));
            run = '';
            pieces.push(piece);
        }
    }
    if (run || pieces.length === 0)
        pieces.push(literal(run));
    return pieces.length === 1 && pieces[0] ? pieces[0] : { parts: ['(', ...join(pieces, ' || ').parts, ')'] };
}
export const NULL_JSON = constant(`'null'`);
