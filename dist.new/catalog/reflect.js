import { readFile } from 'node:fs/promises';
import { lazy } from '../std/lazy.js';
import { decodeCatalog } from './decode.js';
const TOPICS = [
    ['schemas', 'schemas'],
    ['relations', 'relations'],
    ['foreignKeys', 'foreign-keys'],
    ['types', 'types'],
    ['functions', 'functions'],
    ['grants', 'grants'],
];
/** One statement: topics and version come from one snapshot, so a catalog is never newer in one part than in another. */
const catalogQuery = lazy(async () => {
    const folder = new URL('../../sql/catalog/', import.meta.url);
    const topics = await Promise.all(TOPICS.map(async ([name, file]) => `'${name}', (\n${await readFile(new URL(`${file}.sql`, folder), 'utf8')})`));
    return `/* catalog.reflect */ select json_build_object(
'version', (select bit_xor(id)::text from stowage_graphql.schema_version),
${topics.join(',\n')})::text`;
});
/**
 * What the schemas of the search path hold, and what each of the roles may do with it.
 * @throws PgError 42P01 or 3F000 when the extension is not installed
 */
export async function reflectCatalog(query, searchPath, roles) {
    const text = await catalogQuery();
    const rows = await query({ text, values: [textArray(searchPath), textArray(roles)] });
    const decoded = JSON.parse(rows[0]?.[0] ?? '{}');
    return decodeCatalog(decoded, roles);
}
const textArray = (items) => `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
