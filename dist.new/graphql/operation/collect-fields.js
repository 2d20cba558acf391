import { differentArguments, differentFields, directiveArguments, directiveConditionRequired, limitExceeded, noSuchFragment, nothingSelected, unknownDirective, unknownDirectiveArgument, } from '../errors.js';
import { GraphqlError } from './operation.js';
import { placeOf } from './place-of.js';
/**
 * The fields of a selection set as they are answered: fragments put in, @skip and @include applied, fields of one response key
 * merged, in document order. A fragment applies to its very type and to the `interfaces` given (pg_graphql: to its type only).
 * What variables decided is recorded in the operation's guards.
 * @throws GraphqlError `data: 'null'`
 */
export function collectFields(operation, selections, typeName, interfaces = []) {
    const collected = new Map();
    collect({ operation, typeName, interfaces, collected }, selections);
    return Array.from(collected, ([responseKey, { field, selections }]) => ({
        responseKey,
        name: field.name.value,
        args: operation.argumentsOf(field),
        selections,
        ...placeOf(field),
    }));
}
/**
 * The root fields. Errors leave the data key out, where they would not further down.
 * @throws GraphqlError
 */
export function collectRootFields(operation, limits) {
    let fields;
    try {
        fields = collectFields(operation, operation.selections, operation.kind === 'query' ? 'Query' : 'Mutation');
    }
    catch (error) {
        if (error instanceof GraphqlError && error.line !== null && error.column !== null) {
            throw new GraphqlError(error.message, 'absent', { line: error.line, column: error.column });
        }
        throw error;
    }
    if (fields.length === 0)
        throw nothingSelected(operation.kind);
    if (fields.length > limits.rootFields)
        throw limitExceeded('rootFields', limits.rootFields, 'root fields');
    return fields;
}
function collect(into, selections) {
    for (const selection of selections) {
        into.operation.countSelection(selection);
        if (isLeftOut(into.operation, selection.directives))
            continue;
        switch (selection.kind) {
            case 'Field':
                addField(into, selection);
                break;
            case 'FragmentSpread':
                collect(into, findFragment(into, selection).selectionSet.selections);
                break;
            case 'InlineFragment': {
                const type = selection.typeCondition?.name.value;
                if (type === undefined || applies(into, type))
                    collect(into, selection.selectionSet.selections);
            }
        }
    }
}
function addField({ collected }, field) {
    const key = (field.alias ?? field.name).value;
    const children = field.selectionSet?.selections ?? [];
    const before = collected.get(key);
    if (!before) {
        collected.set(key, { field, selections: [...children], equal: new Set([field]) });
        return;
    }
    if (!before.equal.has(field)) {
        if (before.field.name.value !== field.name.value) {
            throw differentFields(field.name.value, before.field.name.value, placeOf(field));
        }
        if (!sameArguments(before.field.arguments, field.arguments))
            throw differentArguments(field.name.value, placeOf(field));
        before.equal.add(field);
        before.selections.push(...children);
    }
}
const applies = ({ typeName, interfaces }, type) => type === typeName || interfaces.includes(type);
function findFragment(into, spread) {
    const named = into.operation.fragmentsByName.get(spread.name.value) ?? [];
    const found = named.find((fragment) => fragment.typeCondition.name.value === into.typeName) ??
        named.find((fragment) => applies(into, fragment.typeCondition.name.value));
    if (!found)
        throw noSuchFragment(spread.name.value, into.typeName, placeOf(spread));
    return found;
}
/** Directives count from left to right; the first that removes the selection ends the look. */
function isLeftOut(operation, directives = []) {
    return directives.some((directive) => removes(operation, directive));
}
function removes(operation, directive) {
    const name = directive.name.value;
    if (name !== 'skip' && name !== 'include')
        throw unknownDirective(name, placeOf(directive));
    const [argument, ...more] = directive.arguments ?? [];
    if (!argument || more.length > 0)
        throw directiveArguments(name, placeOf(directive));
    if (argument.name.value !== 'if')
        throw unknownDirectiveArgument(name, argument.name.value, placeOf(directive));
    const condition = conditionOf(operation, argument);
    if (condition === 'unset')
        throw directiveConditionRequired(name, placeOf(directive));
    return condition !== 'ignored' && condition === (name === 'skip');
}
/** A literal that is no boolean is ignored, as pg_graphql does. */
function conditionOf(operation, { value }) {
    if (value.kind === 'BooleanValue')
        return value.value;
    if (value.kind !== 'Variable')
        return 'ignored';
    const given = operation.variable(value.name.value);
    if (given.kind !== 'boolean') {
        if (given.origin)
            operation.guards.record({ origin: given.origin, fact: 'kind', kind: given.kind });
        return 'unset';
    }
    if (given.origin)
        operation.guards.record({ origin: given.origin, fact: 'equals', value: given.value });
    return given.value;
}
/** Compared as written, without regard to the order: `$n` and `1` differ even where `$n` is 1. */
function sameArguments(left = [], right = []) {
    return sameMembers(left, right);
}
function sameMembers(left, right) {
    if (left.length !== right.length)
        return false;
    const byName = new Map(left.map((member) => [member.name.value, member.value]));
    return right.every((member) => {
        const other = byName.get(member.name.value);
        return other !== undefined && sameLiteral(other, member.value);
    });
}
function sameLiteral(left, right) {
    switch (left.kind) {
        case 'NullValue':
            return right.kind === 'NullValue';
        case 'Variable':
            return right.kind === 'Variable' && left.name.value === right.name.value;
        case 'ListValue':
            return (right.kind === 'ListValue' &&
                left.values.length === right.values.length &&
                left.values.every((item, i) => {
                    const other = right.values[i];
                    return other !== undefined && sameLiteral(item, other);
                }));
        case 'ObjectValue':
            return right.kind === 'ObjectValue' && sameMembers(left.fields, right.fields);
        default:
            return right.kind === left.kind && right.value === left.value;
    }
}
