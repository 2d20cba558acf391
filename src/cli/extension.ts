import { Command } from 'commander'
import { type ExtensionState, ensureExtension, extensionState } from '../service/ensure-extension.ts'
import { connect, type Database } from '../service/open-database.ts'
import { withDatabase } from '../service/with-database.ts'
import { print, say } from './terminal.ts'

export function extensionCommand(): Command {
  const command = new Command('extension').description('the extension stowage_graphql, which GraphQL needs in the database')
  command
    .command('list')
    .description('show the version the server offers and the one that is installed')
    .action(() => run(async () => undefined))
  command
    .command('install')
    .description("install it where it is missing: from the server's files, else without files")
    .action(() => run((owner) => ensureExtension(owner, say)))
  return command
}

type Owner = Awaited<ReturnType<typeof connect>>

const run = (work: (owner: Owner) => Promise<void>): Promise<void> =>
  withDatabase(say, async (database: Database) => {
    const owner = await connect(database, say)
    try {
      await work(owner)
      print(asTable(await extensionState(owner)))
    } finally {
      await owner.end()
    }
  })

/** In the columns of pg_available_extensions. */
function asTable({ default_version, installed_version, without_files }: ExtensionState): string {
  const rows = [
    ['name', 'default_version', 'installed_version', 'comment'],
    ['stowage_graphql', default_version ?? '', installed_version ?? '', without_files ? 'installed without files' : ''],
  ]
  return rows
    .map(([name = '', offered = '', installed = '', comment = '']) =>
      `${name.padEnd(16)}${offered.padEnd(16)}${installed.padEnd(18)}${comment}`.trimEnd(),
    )
    .join('\n')
}
