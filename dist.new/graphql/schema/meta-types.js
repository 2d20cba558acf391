import { list, named, nonNull } from './type-system.js';
/**
 * The eight types that describe types. Descriptions are pg_graphql's, its slips included: a backslash and an n where a line
 * break was meant, `__Type` ending in the middle of its last sentence. Clients compare introspections.
 */
export function metaTypes() {
    return [
        object('__Directive', DIRECTIVE, [
            field('args', listOf('__InputValue'), null, [INCLUDE_DEPRECATED]),
            field('description', named('String')),
            field('isRepeatable', nonNull(named('Boolean'))),
            field('locations', listOf('__DirectiveLocation')),
            field('name', nonNull(named('String'))),
        ]),
        {
            kind: 'enum',
            name: '__DirectiveLocation',
            description: 'A Directive can be adjacent to many parts of the GraphQL language, a __DirectiveLocation describes one such possible adjacencies.',
            values: LOCATIONS.map(([name, place]) => ({ name, description: `Location adjacent to ${place}.` })),
        },
        object('__EnumValue', 'One possible value for a given Enum. Enum values are unique values, not a placeholder for a string or numeric value. However an Enum value is returned in a JSON response as a string.', [
            field('deprecationReason', named('String')),
            field('description', named('String')),
            field('isDeprecated', nonNull(named('Boolean'))),
            field('name', nonNull(named('String'))),
        ]),
        object('__Field', 'Object and Interface types are described by a list of Fields, each of which has a name, potentially a list of arguments, and a return type.', [
            field('args', listOf('__InputValue'), null, [INCLUDE_DEPRECATED]),
            field('deprecationReason', named('String')),
            field('description', named('String')),
            field('isDeprecated', nonNull(named('Boolean'))),
            field('name', nonNull(named('String'))),
            field('type', nonNull(named('__Type'))),
        ]),
        object('__InputValue', 'Arguments provided to Fields or Directives and the input fields of an InputObject are represented as Input Values which describe their type and optionally a default value.', [
            field('defaultValue', named('String'), 'A GraphQL-formatted string representing the default value for this input value.'),
            field('deprecationReason', named('String')),
            field('description', named('String')),
            field('isDeprecated', nonNull(named('Boolean'))),
            field('name', nonNull(named('String'))),
            field('type', nonNull(named('__Type'))),
        ]),
        object('__Schema', 'A GraphQL Schema defines the capabilities of a GraphQL server. It exposes all available types and directives on the server, as well as the entry points for query, mutation, and subscription operations.', [
            field('description', named('String')),
            field('directives', listOf('__Directive'), 'A list of all directives supported by this server.', [INCLUDE_DEPRECATED]),
            field('mutationType', named('__Type'), 'If this server supports mutation, the type that mutation operations will be rooted at.'),
            field('queryType', nonNull(named('__Type')), 'The type that query operations will be rooted at.'),
            field('subscriptionType', named('__Type'), 'If this server support subscription, the type that subscription operations will be rooted at.'),
            field('types', listOf('__Type'), 'A list of all types supported by this server.'),
        ]),
        object('__Type', TYPE, [
            field('description', named('String')),
            field('enumValues', list(nonNull(named('__EnumValue'))), null, [INCLUDE_DEPRECATED]),
            field('fields', list(nonNull(named('__Field'))), null, [INCLUDE_DEPRECATED]),
            field('inputFields', list(nonNull(named('__InputValue'))), null, [INCLUDE_DEPRECATED]),
            field('interfaces', list(nonNull(named('__Type')))),
            field('kind', nonNull(named('__TypeKind'))),
            field('name', named('String')),
            field('ofType', named('__Type')),
            field('possibleTypes', list(nonNull(named('__Type')))),
            field('specifiedByURL', named('String')),
        ]),
        {
            kind: 'enum',
            name: '__TypeKind',
            description: 'An enum describing what kind of type a given `__Type` is.',
            values: ['SCALAR', 'OBJECT', 'INTERFACE', 'UNION', 'ENUM', 'INPUT_OBJECT', 'LIST', 'NON_NULL'].map((name) => ({
                name,
                description: null,
            })),
        },
    ];
}
const object = (name, description, fields) => ({
    kind: 'object',
    name,
    description,
    fields,
    interfaces: [],
});
const field = (name, type, description = null, args = []) => ({ name, description, args, type });
const listOf = (name) => nonNull(list(nonNull(named(name))));
const INCLUDE_DEPRECATED = {
    name: 'includeDeprecated',
    description: null,
    type: named('Boolean'),
    defaultValue: 'false',
};
const DIRECTIVE = 'A Directive provides a way to describe alternate runtime execution and type validation behavior in a GraphQL document.\\n\\nIn some cases, you need to provide options to alter GraphQL execution behavior in ways field arguments will not suffice, such as conditionally including or skipping a field. Directives provide this by describing additional information to the executor.';
const TYPE = 'The fundamental unit of any GraphQL Schema is the type. There are many kinds of types in GraphQL as represented by the `__TypeKind` enum.\\n\\nDepending on the kind of a type, certain fields describe information about that type. Scalar types provide no information beyond a name, description and optional `specifiedByURL`, while Enum types provide their values. Object and Interface types provide the fields they describe. Abstract types, Union and Interface, provide the Object types possible at runtime. List and NonNull types compose other types ';
const LOCATIONS = [
    ['QUERY', 'a query operation'],
    ['MUTATION', 'a mutation operation'],
    ['SUBSCRIPTION', 'a subscription operation'],
    ['FIELD', 'a field'],
    ['FRAGMENT_DEFINITION', 'a fragment definition'],
    ['FRAGMENT_SPREAD', 'a fragment spread'],
    ['INLINE_FRAGMENT', 'an inline fragment'],
    ['VARIABLE_DEFINITION', 'a variable definition'],
    ['SCHEMA', 'a schema definition'],
    ['SCALAR', 'a scalar definition'],
    ['OBJECT', 'an object type definition'],
    ['FIELD_DEFINITION', 'a field definition'],
    ['ARGUMENT_DEFINITION', 'an argument definition'],
    ['INTERFACE', 'an interface definition'],
    ['UNION', 'a union definition'],
    ['ENUM', 'an enum definition'],
    ['ENUM_VALUE', 'an enum value definition'],
    ['INPUT_OBJECT', 'an input object type definition'],
    ['INPUT_FIELD_DEFINITION', 'an input object field definition'],
];
