import { parse, GraphQLError as SyntaxFailure, } from 'graphql';
import { anonymousNotAlone, limitExceeded, operationNamesNotUnique, operationNotFound, parseError } from '../errors.js';
import { checkFragments } from './check-fragments.js';
import { GraphqlError } from './operation.js';
import { placeOf } from './place-of.js';
import { scanDocument } from './scan-document.js';
/** @throws GraphqlError for syntax and for limits of the document as a whole */
export function parseDocument(text, limits) {
    scanDocument(text, limits);
    const document = parseText(text, limits);
    checkTokens(document, limits);
    const operations = [];
    const fragments = [];
    for (const definition of document.definitions) {
        if (definition.kind === 'OperationDefinition')
            operations.push(definition);
        else if (definition.kind === 'FragmentDefinition')
            fragments.push(definition);
        else
            throw parseError(placeOf(definition), 'Expected {, query, mutation, subscription or fragment');
        checkVariableDirectives(definition);
    }
    if (fragments.length > limits.fragments)
        throw limitExceeded('fragments', limits.fragments, 'fragments');
    checkAliases([...operations, ...fragments], limits);
    const fragmentsByName = groupByName(fragments);
    return { operations, fragments, fragmentsByName, fault: findFault(operations, fragmentsByName) };
}
function groupByName(fragments) {
    const groups = new Map();
    for (const fragment of fragments) {
        const group = groups.get(fragment.name.value);
        if (group)
            group.push(fragment);
        else
            groups.set(fragment.name.value, [fragment]);
    }
    return groups;
}
function parseText(text, limits) {
    try {
        return parse(text, { maxTokens: limits.tokens });
    }
    catch (error) {
        if (!(error instanceof SyntaxFailure))
            throw error;
        const place = error.locations?.[0] ?? { line: 1, column: 1 };
        if (error.message.includes('tokens. Parsing aborted'))
            throw limitExceeded('tokens', limits.tokens, 'tokens', place);
        throw parseError(place, error.message.replace(/^Syntax Error: /, ''));
    }
}
/** Integers must fit 64 bits, as in pg_graphql's grammar; directives are counted wherever they stand. */
function checkTokens(document, limits) {
    let directives = 0;
    for (let token = document.loc?.startToken ?? null; token; token = token.next) {
        if (token.kind === '@' && ++directives > limits.directives) {
            throw limitExceeded('directives', limits.directives, 'directives', token);
        }
        if (token.kind === 'Int' && token.value.length > 18 && BigInt.asIntN(64, BigInt(token.value)) !== BigInt(token.value)) {
            throw parseError(token, 'number too large to fit in target type');
        }
    }
}
/** pg_graphql's grammar has no directives on variable definitions. */
function checkVariableDirectives(definition) {
    for (const variable of definition.variableDefinitions ?? []) {
        const directive = variable.directives?.[0];
        if (directive)
            throw parseError(placeOf(directive), 'Unexpected `@[Punctuator]`\nExpected $, Name, :, = or )');
    }
}
function checkAliases(definitions, limits) {
    let aliases = 0;
    const count = (set) => {
        for (const selection of set.selections) {
            if (selection.kind === 'Field' && selection.alias && ++aliases > limits.aliases) {
                throw limitExceeded('aliases', limits.aliases, 'aliases', placeOf(selection));
            }
            if (selection.kind !== 'FragmentSpread' && selection.selectionSet)
                count(selection.selectionSet);
        }
    };
    for (const definition of definitions)
        count(definition.selectionSet);
}
function findFault(operations, fragments) {
    const unnamed = operations.length > 1 ? operations.find((operation) => operationName(operation) === null) : undefined;
    if (unnamed)
        return anonymousNotAlone(placeOf(unnamed));
    const names = new Set();
    for (const operation of operations) {
        if (names.has(operationName(operation)))
            return operationNamesNotUnique(placeOf(operation));
        names.add(operationName(operation));
    }
    try {
        checkFragments(fragments);
        return null;
    }
    catch (error) {
        if (error instanceof GraphqlError)
            return error;
        throw error;
    }
}
/**
 * The operation that is meant: the named one, or the only one when no name was sent.
 * @throws GraphqlError when there is none
 */
export function chooseOperation(operations, name) {
    const [first, ...others] = operations;
    const chosen = name === null ? (others.length === 0 ? first : undefined) : operations.find((operation) => operationName(operation) === name);
    if (!chosen)
        throw operationNotFound();
    return chosen;
}
/** A subscription counts as nameless, as in pg_graphql: no `operationName` ever finds it. */
const operationName = (operation) => operation.operation === 'subscription' ? null : (operation.name?.value ?? null);
