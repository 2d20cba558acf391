import { assertNever } from '../../std/assert-never.js';
import { naturalCompare } from './natural-compare.js';
import { printDescription } from './print-description.js';
/**
 * The schema as text in the schema definition language, everything sorted by name: what graphql-js 16 makes of it by
 * `printSchema(lexicographicSortSchema(buildClientSchema(…)))`. Unlike that it also prints schemas a client would refuse.
 * Without the standard scalars and the meta types; ends with a line break.
 */
export function printSdl(types) {
    const printed = sorted([...types.types.values()].filter((type) => !STANDARD_SCALARS.has(type.name) && !type.name.startsWith('__')));
    return `${[printSchema(types), ...printed.map(printType)].join('\n\n')}\n`;
}
const STANDARD_SCALARS = new Set(['Int', 'Float', 'String', 'Boolean', 'ID']);
function printSchema({ query, mutation }) {
    const roots = [`query: ${query}`, ...(mutation === null ? [] : [`mutation: ${mutation}`])];
    return `"""Represents the GraphQL schema of the database"""\nschema${block(roots.map((root) => `  ${root}`))}`;
}
function printType(type) {
    const description = printDescription(type.description, '', true);
    switch (type.kind) {
        case 'scalar':
            return `${description}scalar ${type.name}`;
        case 'object':
            return `${description}type ${type.name}${printInterfaces(type.interfaces)}${printFields(type.fields)}`;
        case 'interface':
            return `${description}interface ${type.name}${printFields(type.fields)}`;
        case 'enum':
            return `${description}enum ${type.name}${printMembers(type.values, (value) => value.name)}`;
        case 'input object':
            return `${description}input ${type.name}${printMembers(type.fields, printInputValue)}`;
        default:
            return assertNever(type);
    }
}
const printInterfaces = (names) => names.length === 0 ? '' : ` implements ${[...names].sort(naturalCompare).join(' & ')}`;
const printFields = (fields) => printMembers(fields, (field) => `${field.name}${printArguments(field.args)}: ${printRef(field.type)}`);
const printMembers = (members, print) => block(sorted(members).map((member, i) => `${printDescription(member.description, '  ', i === 0)}  ${print(member)}`));
const block = (lines) => (lines.length === 0 ? '' : ` {\n${lines.join('\n')}\n}`);
/** On one line as long as none is described. */
function printArguments(args) {
    if (args.length === 0)
        return '';
    if (args.every((argument) => !argument.description))
        return `(${sorted(args).map(printInputValue).join(', ')})`;
    const lines = sorted(args).map((argument, i) => `${printDescription(argument.description, '    ', i === 0)}    ${printInputValue(argument)}`);
    return `(\n${lines.join('\n')}\n  )`;
}
const printInputValue = ({ name, type, defaultValue }) => `${name}: ${printRef(type)}${defaultValue === null ? '' : ` = ${defaultValue}`}`;
function printRef(type) {
    switch (type.kind) {
        case 'named':
            return type.name;
        case 'list':
            return `[${printRef(type.of)}]`;
        case 'non null':
            return `${printRef(type.of)}!`;
        default:
            return assertNever(type);
    }
}
/** By name; of two members with one name the later, as a client's map has it. */
const sorted = (members) => [...new Map(members.map((member) => [member.name, member])).values()].sort((a, b) => naturalCompare(a.name, b.name));
