import { assertNever } from '../../std/assert-never.js';
import { JsonNumber } from './json.js';
import { isJsonList, isJsonObject, jsonAt } from './variables.js';
/** Keeps each guard once, in the order of the first recording; each `passes` guard counts as another one. */
export function collectGuards() {
    const recorded = [];
    const seen = new Set();
    return {
        recorded,
        record: (guard) => {
            if (guard.fact !== 'passes') {
                const key = JSON.stringify(guard);
                if (seen.has(key))
                    return;
                seen.add(key);
            }
            recorded.push(guard);
        },
    };
}
/** Whether a plan made under this guard serves these variables. */
export function holds(guard, variables) {
    const json = jsonAt(variables, guard.origin);
    switch (guard.fact) {
        case 'kind':
            return kindOf(json) === guard.kind;
        case 'equals':
            return json === guard.value;
        case 'keys':
            return json !== undefined && isJsonObject(json) && sameKeys(Object.keys(json), guard.keys);
        case 'length':
            return json !== undefined && isJsonList(json) && json.length === guard.length;
        case 'passes':
            return guard.test(json);
        default:
            return assertNever(guard);
    }
}
function kindOf(json) {
    if (json === undefined)
        return 'absent';
    if (json === null)
        return 'null';
    if (typeof json === 'string')
        return 'string';
    if (typeof json === 'boolean')
        return 'boolean';
    if (json instanceof JsonNumber)
        return 'number';
    return isJsonList(json) ? 'list' : 'object';
}
const sameKeys = (keys, expected) => keys.length === expected.length && keys.every((key, i) => key === expected[i]);
