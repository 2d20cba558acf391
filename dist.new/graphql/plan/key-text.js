import { JsonNumber } from '../operation/json.js';
import { isJsonList } from '../operation/variables.js';
import { arrayText } from './plan-values.js';
/** An element of a cursor or nodeId (PostgreSQL's to_jsonb of a column) as text that casts back to the column's type. */
export function keyText(json, isArray) {
    if (json === undefined || json === null)
        return null;
    if (isArray && isJsonList(json))
        return arrayText(json.map((item) => keyText(item, false)));
    if (typeof json === 'string')
        return json;
    if (typeof json === 'boolean')
        return String(json);
    return json instanceof JsonNumber ? json.text : printJson(json);
}
function printJson(json) {
    if (json instanceof JsonNumber)
        return json.text;
    if (isJsonList(json))
        return `[${json.map(printJson).join(', ')}]`;
    if (typeof json === 'object' && json !== null) {
        return `{${Object.entries(json)
            .map(([key, member]) => `${JSON.stringify(key)}: ${printJson(member)}`)
            .join(', ')}}`;
    }
    return JSON.stringify(json);
}
