/**
 * SQL as nodes. A statement is put together from constants, quoted identifiers, quoted literals and bound values,
 * so that a foreign string cannot become SQL by accident.
 */
/** The tag: interpolations are pieces themselves; there is no way to interpolate a bare string. */
export function sql(strings, ...pieces) {
    const parts = [];
    strings.forEach((text, i) => {
        if (text)
            parts.push(text);
        const piece = pieces[i];
        if (piece)
            parts.push(...piece.parts);
    });
    return { parts };
}
/** SQL text that is a constant of ours (an operator, a keyword), never of the caller's. */
export const constant = (text) => ({ parts: [text] });
export const nothing = { parts: [] };
/** A quoted identifier; several are joined by dots. PostgreSQL manual 4.1.1. */
export const ident = (...names) => ({ parts: [names.map(quoteIdent).join('.')] });
/** A quoted string literal that holds whatever `standard_conforming_strings` says. PostgreSQL manual 4.1.2. */
export const literal = (text) => ({ parts: [quoteLiteral(text)] });
/** A bound value, `$n` in the text. Give its type by a cast after it. */
export const value = (text) => ({ parts: [{ text }] });
export const param = (bound) => ({ parts: [bound] });
export function join(pieces, separator) {
    const parts = [];
    pieces.forEach((piece, i) => {
        if (i > 0)
            parts.push(separator);
        parts.push(...piece.parts);
    });
    return { parts };
}
/** Text and params in order of appearance. Equal pieces give equal text, which is what makes a prepared statement reusable. */
export function compile(piece) {
    const params = [];
    let text = '';
    for (const part of piece.parts) {
        if (typeof part === 'string')
            text += part;
        else {
            params.push(part);
            text += `$${params.length}`;
        }
    }
    return { text, params };
}
export function toStatement(piece) {
    const { text, params } = compile(piece);
    return { text, values: params.map((bound) => bound.text) };
}
export const quoteIdent = (name) => `"${name.replaceAll('"', '""')}"`;
export const quoteLiteral = (text) => text.includes('\\') ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${text.replaceAll("'", "''")}'`;
