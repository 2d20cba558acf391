import { badCursor, cursorTooLong, invalidInput, notUnsigned, onlyOneOf, onlyWith } from '../errors.js';
import { JsonNumber } from '../operation/json.js';
import { isJsonList } from '../operation/variables.js';
import { decodeBase64Json } from './decode-base64-json.js';
import { keyText } from './key-text.js';
import { bind, isGiven, isInt64, kindOf } from './plan-values.js';
/** The paging arguments, checked in pg_graphql's order; the page is capped by `maxRows`. */
export function readPage(context, args, maxRows) {
    const first = unsigned(context, 'first', args.first);
    const last = unsigned(context, 'last', args.last);
    const offset = unsignedParam(context, args.offset);
    const before = cursorOf(context, args.before);
    const after = cursorOf(context, args.after);
    if (first !== null && last !== null)
        throw onlyOneOf('first', 'last');
    if (before && after)
        throw onlyOneOf('before', 'after');
    if (first !== null && before)
        throw onlyWith('first', '"after"');
    if (last !== null && after)
        throw onlyWith('last', '"before"');
    if (offset && (last !== null || before))
        throw onlyWith('offset', '"first" and "after"');
    const rows = Math.min(first ?? last ?? maxRows, maxRows);
    const cursor = before ?? after;
    return (order) => ({
        rows,
        from: last !== null || before ? 'end' : 'start',
        offset,
        cursor: cursor && cursorValues(context, cursor, order),
    });
}
/** A page size stands in the SQL itself, since the planner must know it: the plan holds for this number only. */
function unsigned(context, name, value) {
    if (!isGiven(context, value))
        return null;
    const text = integerText(value);
    if (value.origin) {
        context.operation.guards.record({ origin: value.origin, fact: 'passes', test: (json) => json instanceof JsonNumber && json.text === text });
    }
    if (text.startsWith('-') && text !== '-0')
        throw notUnsigned(name);
    return Number(text);
}
function unsignedParam(context, value) {
    if (!isGiven(context, value))
        return null;
    return bind(value, (given) => {
        const text = integerText(given);
        if (text.startsWith('-') && text !== '-0')
            throw notUnsigned('offset');
        return text;
    });
}
function integerText(value) {
    if (value.kind !== 'number' || !isInt64(value.text))
        throw invalidInput('Int');
    return value.text;
}
function cursorOf(context, value) {
    if (!isGiven(context, value))
        return null;
    if (kindOf(context, value) !== 'string' || value.kind !== 'string')
        throw invalidInput('Cursor');
    return { value, elements: decodeCursor(value.value) };
}
/** Base64 of a JSON array: the values of the order's first columns. */
function decodeCursor(text) {
    const decoded = decodeBase64Json(text);
    if ('fault' in decoded)
        throw badCursor(decoded.fault === 'base64' ? 1 : decoded.fault === 'utf-8' ? 2 : 3);
    if (!isJsonList(decoded.json))
        throw badCursor(4);
    return decoded.json;
}
/** How many values the cursor has and which are null decides the predicate. */
function cursorValues(context, { value, elements }, order) {
    if (elements.length > order.length)
        throw cursorTooLong();
    if (value.origin) {
        const shape = shapeOf(elements);
        context.operation.guards.record({
            origin: value.origin,
            fact: 'passes',
            test: (json) => typeof json === 'string' && shapeOf(decodeCursor(json)) === shape,
        });
    }
    return elements.map((element, i) => {
        if (element === null)
            return { isNull: true };
        const isArray = order[i]?.column.type.element != null;
        return { isNull: false, operand: bind(value, (given) => keyText(given.kind === 'string' ? decodeCursor(given.value)[i] : undefined, isArray)) };
    });
}
const shapeOf = (elements) => elements.map((element) => (element === null ? 'n' : 'v')).join('');
