import { Command } from 'commander';
import { ensureExtension, extensionState } from '../service/ensure-extension.js';
import { connect } from '../service/open-database.js';
import { withDatabase } from '../service/with-database.js';
import { print, say } from './terminal.js';
export function extensionCommand() {
    const command = new Command('extension').description('the extension stowage_graphql, which GraphQL needs in the database');
    command
        .command('list')
        .description('show the version the server offers and the one that is installed')
        .action(() => run(async () => undefined));
    command
        .command('install')
        .description("install it where it is missing: from the server's files, else without files")
        .action(() => run((owner) => ensureExtension(owner, say)));
    return command;
}
const run = (work) => withDatabase(say, async (database) => {
    const owner = await connect(database, say);
    try {
        await work(owner);
        print(asTable(await extensionState(owner)));
    }
    finally {
        await owner.end();
    }
});
/** In the columns of pg_available_extensions. */
function asTable({ default_version, installed_version, without_files }) {
    const rows = [
        ['name', 'default_version', 'installed_version', 'comment'],
        ['stowage_graphql', default_version ?? '', installed_version ?? '', without_files ? 'installed without files' : ''],
    ];
    return rows
        .map(([name = '', offered = '', installed = '', comment = '']) => `${name.padEnd(16)}${offered.padEnd(16)}${installed.padEnd(18)}${comment}`.trimEnd())
        .join('\n');
}
