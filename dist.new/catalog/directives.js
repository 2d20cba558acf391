/**
 * What comments say: `@graphql({...})`, up to the last parenthesis of the comment.
 *
 * A text that is not JSON is left out (pg_graphql fails every request then); JSON of the wrong form raises
 * {@link DirectiveError}, which every request answers, as pg_graphql does.
 */
export class DirectiveError extends Error {
    name = 'DirectiveError';
}
const DEFAULT_MAX_ROWS = 30;
function directiveOf(comment) {
    if (comment === null || !comment.includes('@graphql('))
        return {};
    const found = /@graphql\(([\s\S]+)\)/.exec(comment);
    if (!found?.[1])
        return {};
    try {
        const parsed = JSON.parse(found[1]);
        return isObject(parsed) ? parsed : {};
    }
    catch {
        return {};
    }
}
export function schemaDirectives(comment) {
    const json = directiveOf(comment);
    return {
        inflectNames: json.inflect_names === true,
        maxRows: unsigned(json.max_rows) ?? DEFAULT_MAX_ROWS,
        introspection: json.introspection === true,
    };
}
export function relationDirectives(comment) {
    const json = directiveOf(comment);
    return {
        name: text(json.name),
        description: text(json.description),
        totalCount: enabled(json.totalCount),
        aggregate: enabled(json.aggregate),
        introspection: json.introspection === true,
        maxRows: unsigned(json.max_rows),
        primaryKeyColumns: json.primary_key_columns == null ? null : texts(json.primary_key_columns),
        foreignKeys: json.foreign_keys == null ? [] : sequence(json.foreign_keys).map(declaredForeignKey),
    };
}
function declaredForeignKey(item) {
    if (!isObject(item))
        throw new DirectiveError(`invalid type: ${described(item)}, expected struct ForeignKey`);
    const required = (key) => {
        if (item[key] === undefined)
            throw new DirectiveError(`missing field \`${key}\``);
        return item[key];
    };
    return {
        localName: text(item.local_name),
        localColumns: texts(required('local_columns')),
        foreignName: text(item.foreign_name),
        foreignSchema: String(required('foreign_schema')),
        foreignTable: String(required('foreign_table')),
        foreignColumns: texts(required('foreign_columns')),
    };
}
export function columnDirectives(comment) {
    const json = directiveOf(comment);
    return { name: text(json.name), description: text(json.description) };
}
export const functionDirectives = columnDirectives;
export function foreignKeyDirectives(comment) {
    const json = directiveOf(comment);
    return { localName: text(json.local_name), foreignName: text(json.foreign_name) };
}
export function enumDirectives(comment) {
    const json = directiveOf(comment);
    const mappings = isObject(json.mappings) ? Object.entries(json.mappings).filter((entry) => typeof entry[1] === 'string') : null;
    return { name: text(json.name), mappings: mappings && new Map(mappings) };
}
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** A name of another type than text makes no valid name, so whatever bears it disappears, as with pg_graphql. */
const text = (value) => (value == null ? null : typeof value === 'string' ? value : JSON.stringify(value));
const enabled = (value) => isObject(value) && (value.enabled === true || value.enabled === 'true');
/** pg_graphql takes the number as text, too. */
function unsigned(value) {
    if (value == null)
        return null;
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number)) {
        if (number < 0)
            throw new DirectiveError(`invalid value: integer \`${number}\`, expected u64`);
        return number;
    }
    throw new DirectiveError(`invalid type: ${described(value)}, expected u64`);
}
function sequence(value) {
    if (!Array.isArray(value))
        throw new DirectiveError(`invalid type: ${described(value)}, expected a sequence`);
    return value;
}
function texts(value) {
    return sequence(value).map((item) => {
        if (typeof item !== 'string')
            throw new DirectiveError(`invalid type: ${described(item)}, expected a string`);
        return item;
    });
}
/** A value in the words of pg_graphql's reader. */
function described(value) {
    if (value === null)
        return 'null';
    if (typeof value === 'string')
        return `string ${JSON.stringify(value)}`;
    if (typeof value === 'boolean')
        return `boolean \`${value}\``;
    if (typeof value === 'number')
        return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``;
    return Array.isArray(value) ? 'sequence' : 'map';
}
