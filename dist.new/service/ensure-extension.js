import { EXTENSION_VERSION, installExtension } from '../catalog/install-extension.js';
import { reasonOf } from '../config/startup-error.js';
/** As `pg_available_extensions` shows it, with an installation without files beside. */
export async function extensionState(client) {
    const { rows } = await client.query(`/* extension.state */
    select
      (select a.default_version from pg_catalog.pg_available_extensions a where a.name = 'stowage_graphql') as default_version,
      (select e.extversion from pg_catalog.pg_extension e where e.extname = 'stowage_graphql') as installed_version,
      to_regclass('stowage_graphql.schema_version') is not null as present`);
    const [row] = rows;
    const without = row?.present === true && row.installed_version === null;
    return {
        default_version: row?.default_version ?? null,
        installed_version: without ? await versionWithoutFiles(client) : (row?.installed_version ?? null),
        without_files: without,
    };
}
async function versionWithoutFiles(client) {
    const { rows } = await client.query('/* extension.version */ select stowage_graphql.installed_version() as version');
    return rows[0]?.version ?? null;
}
/**
 * Installs stowage_graphql where it is missing: as an extension if the server lists it, else the same SQL without files.
 * What is there already stays, in whatever version: upgrading is the owner's decision. Without it storage works and GraphQL says what is missing.
 */
export async function ensureExtension(client, onLine) {
    const state = await extensionState(client);
    if (state.installed_version !== null)
        return;
    try {
        if (state.default_version !== null)
            await client.query('/* extension.create */ create extension if not exists stowage_graphql');
        else {
            await client.query('begin');
            await installExtension({ query: async (text) => (await client.query(text)) });
            await client.query('commit');
            onLine(`the database server does not list the extension stowage_graphql: version ${EXTENSION_VERSION} was installed without files`);
        }
    }
    catch (error) {
        await client.query('rollback');
        if ((await extensionState(client)).installed_version !== null)
            return;
        onLine(`GraphQL is off: the extension stowage_graphql could not be installed (${reasonOf(error)})`);
    }
}
