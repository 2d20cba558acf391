import { assertNever } from '../../std/assert-never.js';
import { invariant } from '../../std/invariant.js';
import { introspectionLimitExceeded, noSpecifiedByUrl, typeNameMissing, typeNameNotText, unknownDirectiveField, unknownEnumValueField, unknownFieldField, unknownInputValueField, unknownSchemaField, unknownTypeField, } from '../errors.js';
import { collectFields } from '../operation/collect-fields.js';
/**
 * The value of a root field `__schema` or `__type`, as JSON text with keys in the order of the selection.
 *
 * pg_graphql's conventions: `interfaces` and `enumValues` are never null, nothing is deprecated, arguments are not checked, and
 * `__typename` is the name of what is described. It knows neither `specifiedByURL` nor `isOneOf`: `__type` refuses them as it
 * does; `__schema` answers them, since tools ask for them in the introspection they build a client's schema from.
 * @throws GraphqlError `data: 'null'`
 */
export function answerIntrospection(types, operation, field, limits) {
    const answering = {
        types,
        operation,
        limits,
        root: field,
        fields: new Map(),
        texts: new Map(),
        objects: 0,
        mostObjects: mostObjects(types, limits),
    };
    if (field.name === '__schema')
        return schemaText(answering, field, 0);
    const definition = types.types.get(requestedName(operation, field));
    return definition ? typeText(answering, { kind: 'definition', definition }, field, 0) : 'null';
}
function requestedName({ guards }, field) {
    const name = field.args.find((argument) => argument.name === 'name')?.value;
    if (name?.origin)
        guards.record({
            origin: name.origin,
            ...(name.kind === 'string' ? { fact: 'equals', value: name.value } : { fact: 'kind', kind: name.kind }),
        });
    if (!name || name.kind === 'absent' || name.kind === 'null')
        throw typeNameMissing(field);
    if (name.kind !== 'string')
        throw typeNameNotText(field);
    return name.value;
}
function schemaText(answering, of, depth) {
    const { types } = answering;
    return objectText(answering, '__Schema', of, (field) => {
        switch (field.name) {
            case 'description':
                return JSON.stringify('Represents the GraphQL schema of the database');
            case 'types':
                return listText(answering, types.types.values(), (definition) => typeText(answering, { kind: 'definition', definition }, field, depth));
            case 'queryType':
                return namedTypeText(answering, types.query, field, depth);
            case 'mutationType':
                return types.mutation === null ? 'null' : namedTypeText(answering, types.mutation, field, depth);
            case 'subscriptionType':
                return 'null';
            case 'directives':
                return listText(answering, types.directives, (directive) => directiveText(answering, directive, field, depth));
            case '__typename':
                return '"__schema"';
            default:
                throw unknownSchemaField(field.name, field);
        }
    });
}
function namedTypeText(answering, name, of, depth) {
    const definition = answering.types.types.get(name) ?? answering.types.unlisted?.get(name);
    invariant(definition, `type ${name} is referred to and not defined`);
    return typeText(answering, { kind: 'definition', definition }, of, depth);
}
const refText = (answering, ref, of, depth) => ref.kind === 'named' ? namedTypeText(answering, ref.name, of, depth) : typeText(answering, ref, of, depth);
function typeText(answering, type, of, depth) {
    let texts = answering.texts.get(of.selections);
    if (!texts) {
        texts = new Map();
        answering.texts.set(of.selections, texts);
    }
    const name = nameOf(type);
    const known = texts.get(name);
    if (known !== undefined)
        return known;
    const text = objectText(answering, '__Type', of, (field) => typeFieldText(answering, type, field, depth));
    texts.set(name, text);
    return text;
}
/** `[Book!]!`: tells any two types apart */
function nameOf(type) {
    switch (type.kind) {
        case 'definition':
            return type.definition.name;
        case 'named':
            return type.name;
        case 'list':
            return `[${nameOf(type.of)}]`;
        case 'non null':
            return `${nameOf(type.of)}!`;
        default:
            return assertNever(type);
    }
}
function typeFieldText(answering, type, field, depth) {
    const definition = type.kind === 'definition' ? type.definition : null;
    const deeper = () => listDepth(answering, field, depth);
    switch (field.name) {
        case 'kind':
            return `"${kindOf(type)}"`;
        case 'name':
        case '__typename':
            return jsonText(definition?.name ?? null);
        case 'description':
            return jsonText(definition?.description ?? null);
        case 'fields':
            if (definition?.kind !== 'object' && definition?.kind !== 'interface')
                return 'null';
            return listText(answering, definition.fields, (member) => fieldText(answering, member, field, deeper()));
        case 'inputFields':
            if (definition?.kind !== 'input object')
                return 'null';
            return listText(answering, definition.fields, (member) => inputValueText(answering, member, field, deeper()));
        case 'interfaces':
            if (definition?.kind !== 'object')
                return '[]';
            return listText(answering, definition.interfaces, (name) => namedTypeText(answering, name, field, deeper()));
        case 'enumValues':
            if (definition?.kind !== 'enum')
                return '[]';
            return listText(answering, definition.values, (value) => enumValueText(answering, value, field));
        case 'possibleTypes':
            if (definition?.kind !== 'interface')
                return 'null';
            return listText(answering, definition.possibleTypes, (name) => namedTypeText(answering, name, field, deeper()));
        case 'ofType':
            return type.kind === 'definition' ? 'null' : refText(answering, type.of, field, depth);
        case 'specifiedByURL':
            if (answering.root.name === '__schema')
                return 'null';
            throw noSpecifiedByUrl(field);
        case 'isOneOf':
            if (answering.root.name === '__schema')
                return definition?.kind === 'input object' ? 'false' : 'null';
            throw unknownTypeField(field.name, field);
        default:
            throw unknownTypeField(field.name, field);
    }
}
function kindOf(type) {
    switch (type.kind) {
        case 'list':
            return 'LIST';
        case 'non null':
            return 'NON_NULL';
        case 'definition':
            return type.definition.kind === 'input object' ? 'INPUT_OBJECT' : type.definition.kind.toUpperCase();
        default:
            return assertNever(type);
    }
}
const fieldText = (answering, definition, of, depth) => objectText(answering, '__Field', of, (field) => {
    switch (field.name) {
        case 'name':
        case '__typename':
            return JSON.stringify(definition.name);
        case 'description':
            return jsonText(definition.description);
        case 'args':
            return listText(answering, definition.args, (argument) => inputValueText(answering, argument, field, depth));
        case 'type':
            return refText(answering, definition.type, field, depth);
        case 'isDeprecated':
            return 'false';
        case 'deprecationReason':
            return 'null';
        default:
            throw unknownFieldField(field.name, field);
    }
});
const inputValueText = (answering, definition, of, depth) => objectText(answering, '__InputValue', of, (field) => {
    switch (field.name) {
        case 'name':
        case '__typename':
            return JSON.stringify(definition.name);
        case 'description':
            return jsonText(definition.description);
        case 'type':
            return refText(answering, definition.type, field, depth);
        case 'defaultValue':
            return jsonText(definition.defaultValue);
        case 'isDeprecated':
            return 'false';
        case 'deprecationReason':
            return 'null';
        default:
            throw unknownInputValueField(field.name, field);
    }
});
const enumValueText = (answering, value, of) => objectText(answering, '__EnumValue', of, (field) => {
    switch (field.name) {
        case 'name':
        case '__typename':
            return JSON.stringify(value.name);
        case 'description':
            return jsonText(value.description);
        case 'isDeprecated':
            return 'false';
        case 'deprecationReason':
            return 'null';
        default:
            throw unknownEnumValueField(field.name, field);
    }
});
const directiveText = (answering, directive, of, depth) => objectText(answering, '__Directive', of, (field) => {
    switch (field.name) {
        case 'name':
            return JSON.stringify(directive.name);
        case 'description':
            return JSON.stringify(directive.description);
        case 'locations':
            return JSON.stringify(directive.locations);
        case 'args':
            return listText(answering, directive.args, (argument) => inputValueText(answering, argument, field, depth));
        case 'isRepeatable':
            return 'false';
        case '__typename':
            return '"__Directive"';
        default:
            throw unknownDirectiveField(field.name, field);
    }
});
function objectText(answering, type, of, textOf) {
    if (++answering.objects > answering.mostObjects) {
        throw introspectionLimitExceeded('introspectionRepeats', answering.mostObjects, 'objects', answering.root);
    }
    let text = '';
    for (const { field, key } of fieldsOf(answering, type, of))
        text += `${text ? ',' : '{'}${key}:${textOf(field)}`;
    return bounded(answering, text ? `${text}}` : '{}');
}
function listText(answering, items, textOf) {
    let text = '';
    for (const item of items)
        text = bounded(answering, `${text}${text ? ',' : '['}${textOf(item)}`);
    return text ? `${text}]` : '[]';
}
/** Tools ask for the whole schema once; whoever asks for it four times over in one document means harm. */
function mostObjects({ types }, { introspectionRepeats }) {
    let objects = types.size;
    for (const type of types.values()) {
        if (type.kind === 'object' || type.kind === 'interface')
            for (const field of type.fields)
                objects += 1 + field.args.length;
        else if (type.kind === 'input object')
            objects += type.fields.length;
        else if (type.kind === 'enum')
            objects += type.values.length;
    }
    return Math.max(10_000, introspectionRepeats * objects);
}
function bounded({ limits, root }, text) {
    if (text.length <= limits.introspectionCharacters)
        return text;
    throw introspectionLimitExceeded('introspectionCharacters', limits.introspectionCharacters, 'characters', root);
}
/** What grows an answer without end is a list inside a list: `fields { type { fields { … } } }`. */
function listDepth({ limits, root }, field, depth) {
    if (depth < limits.introspectionDepth)
        return depth + 1;
    throw introspectionLimitExceeded('introspectionDepth', limits.introspectionDepth, `levels of ${field.name}`, root);
}
function fieldsOf(answering, type, { selections }) {
    const known = answering.fields.get(selections);
    if (known)
        return known;
    const fields = collectFields(answering.operation, selections, type).map((field) => ({ field, key: JSON.stringify(field.responseKey) }));
    answering.fields.set(selections, fields);
    return fields;
}
const jsonText = (text) => (text === null ? 'null' : JSON.stringify(text));
