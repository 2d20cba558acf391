/** A description before what it describes, on lines of its own; nothing for null. Printed as graphql-js 16 prints it. */
export function printDescription(description, indentation, firstInBlock) {
    if (description === null)
        return '';
    const text = isBlockString(description) ? blockString(description) : quotedString(description);
    const before = indentation && !firstInBlock ? `\n${indentation}` : indentation;
    return `${before}${text.replaceAll('\n', `\n${indentation}`)}\n`;
}
/** Whether a block string means the very text: no control characters, no blank first or last line, no common indentation. */
function isBlockString(text) {
    if (text === '')
        return true;
    if (CONTROL_IN_BLOCK.test(text))
        return false;
    const lines = text.split('\n');
    const isBlank = (line) => line !== undefined && /^[\t ]*$/.test(line);
    if (isBlank(lines.at(-1)) || (lines.length > 1 && lines[0] === ''))
        return false;
    const written = lines.filter((line) => !isBlank(line));
    return lines.length === 1 || !written.every((line) => /^[\t ]/.test(line));
}
function blockString(text) {
    const escaped = text.replaceAll('"""', '\\"""');
    const [, ...further] = escaped.split('\n');
    const leadingLine = further.length > 0 && further.every((line) => line === '' || /^[\t ]/.test(line));
    const endsInQuotes = escaped.endsWith('\\"""');
    const trailingLine = (text.endsWith('"') && !endsInQuotes) || text.endsWith('\\');
    const severalLines = further.length > 0 || text.length > 70 || trailingLine || leadingLine || endsInQuotes;
    const keepsStart = further.length === 0 && /^[\t ]/.test(text);
    const start = (severalLines && !keepsStart) || leadingLine ? '\n' : '';
    return `"""${start}${escaped}${severalLines || trailingLine ? '\n' : ''}"""`;
}
const quotedString = (text) => `"${text.replace(ESCAPED, (character) => SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)}"`;
const SHORT_ESCAPES = {
    '"': '\\"',
    '\\': '\\\\',
    '\b': '\\b',
    '\t': '\\t',
    '\n': '\\n',
    '\f': '\\f',
    '\r': '\\r',
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL_IN_BLOCK = /[\u0000-\u0008\u000b-\u000f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const ESCAPED = /["\\\u0000-\u001f\u007f-\u009f]/g;
