import { limitExceeded, subscriptionsNotSupported, variablesNotAnObject } from '../errors.js';
import { argumentValue, constantJson } from './argument-value.js';
import { chooseOperation } from './parse-document.js';
import { placeOf } from './place-of.js';
import { isJsonObject, valueAt } from './variables.js';
/**
 * The operation a request asks for. Declared types of variables are not looked at, and variables that were supplied without
 * being declared can be used (pg_graphql does both).
 * @param parse of a document cache, or `(text) => parseDocument(text, limits)`
 * @throws GraphqlError `data: 'absent'`
 */
export function readOperation(request, parse, limits, guards) {
    const document = parse(request.query);
    const supplied = suppliedVariables(request);
    if (document.fault)
        throw document.fault;
    const chosen = chooseOperation(document.operations, request.operationName);
    if (chosen.operation === 'subscription')
        throw subscriptionsNotSupported(placeOf(chosen));
    const variables = { supplied, defaults: declaredDefaults(chosen) };
    const variable = remember((name) => valueAt(variables, { variable: name, path: [] }));
    let selections = 0;
    return {
        kind: chosen.operation,
        selections: chosen.selectionSet.selections,
        fragments: document.fragments,
        fragmentsByName: document.fragmentsByName,
        variable,
        variables,
        argumentsOf: remember((field) => argumentsOf(field, variable)),
        countSelection: (selection) => {
            if (++selections > limits.expandedFields) {
                throw limitExceeded('expandedFields', limits.expandedFields, 'selections after fragments are put in', placeOf(selection));
            }
        },
        guards,
    };
}
/** @throws GraphqlError when the variables are no object */
export function suppliedVariables(request) {
    if (!isJsonObject(request.variables))
        throw variablesNotAnObject();
    return request.variables;
}
/** Of a variable declared twice the first declaration counts. */
function declaredDefaults(operation) {
    const declared = new Set();
    const defaults = Object.create(null);
    for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
        const name = variable.name.value;
        if (defaultValue && !declared.has(name))
            defaults[name] = constantJson(defaultValue);
        declared.add(name);
    }
    return defaults;
}
const argumentsOf = (field, variable) => (field.arguments ?? []).map(({ name, value }) => ({ name: name.value, value: argumentValue(value, variable) }));
function remember(work) {
    const known = new Map();
    return (key) => {
        const found = known.get(key);
        if (found !== undefined)
            return found;
        const result = work(key);
        known.set(key, result);
        return result;
    };
}
