import { extraInputKeys, invalidInput } from '../errors.js';
import { isGiven, itemsOf, membersOf } from './plan-values.js';
const DIRECTIONS = new Map([
    ['AscNullsFirst', { direction: 'asc', nulls: 'first' }],
    ['AscNullsLast', { direction: 'asc', nulls: 'last' }],
    ['DescNullsFirst', { direction: 'desc', nulls: 'first' }],
    ['DescNullsLast', { direction: 'desc', nulls: 'last' }],
]);
/** The `orderBy` argument. The key's columns always follow, also when they were listed: that makes the order total and cursors alike. */
export function planOrder(context, value, entity) {
    const asked = isGiven(context, value) ? itemsOf(context, value).flatMap((entry) => planEntry(context, entry, entity)) : [];
    return [...asked, ...entity.key.map((column) => ({ column, direction: 'asc', nulls: 'last' }))];
}
function planEntry(context, entry, entity) {
    const type = `${entity.name}OrderBy`;
    if (!isGiven(context, entry))
        throw invalidInput('NonNull');
    if (entry.kind !== 'object')
        throw invalidInput(type);
    const members = membersOf(context, entry);
    const unknown = [...members.keys()].filter((name) => !entity.orders.has(name));
    if (unknown.length > 0)
        throw extraInputKeys(type, unknown);
    return [...members].flatMap(([name, direction]) => {
        const column = entity.orders.get(name)?.column;
        if (!column || !isGiven(context, direction))
            return [];
        const known = direction.kind === 'string' && DIRECTIONS.get(direction.value);
        if (!known)
            throw invalidInput('OrderByDirection');
        if (direction.origin)
            context.operation.guards.record({ origin: direction.origin, fact: 'equals', value: direction.value });
        return [{ column, ...known }];
    });
}
