import { readFile } from 'node:fs/promises';
export const EXTENSION_VERSION = '1.0.0';
/**
 * Puts stowage_graphql into a database whose server does not know its files (managed PostgreSQL): the same SQL, without
 * `create extension`. Does nothing where it is there already, by files or without. Needs the right to create event triggers.
 */
export async function installExtension(client, version = EXTENSION_VERSION) {
    const { rows } = await client.query(`select to_regclass('stowage_graphql.schema_version') is not null as installed`);
    if (rows[0]?.installed === true)
        return;
    const script = await readFile(new URL(`../../extension/stowage_graphql--${version}.sql`, import.meta.url), 'utf8');
    await client.query(`create schema if not exists stowage_graphql;\n${script}`);
}
