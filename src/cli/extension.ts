import { Command } from 'commander'
import { changeExtension } from '../service/change-extension.ts'
import { ensureExtension } from '../service/ensure-extension.ts'
import { type ExtensionState, extensionState } from '../service/extension-state.ts'
import { connect } from '../service/open-database.ts'
import { withDatabase } from '../service/with-database.ts'
import { print, say } from './terminal.ts'

const EXAMPLES = `
Examples:
  stowage extension list
  stowage extension install                   where it is missing: from the server's files, else without files
  stowage extension install --version 1.0.0   this version in place of the installed one, while requests run

The owner of a database can do the same by SQL: see docs/graphql-extension.md.`

export function extensionCommand(): Command {
  const command = new Command('extension').description('the extension stowage_graphql, which GraphQL needs in the database')
  command.addHelpText('afterAll', EXAMPLES)
  command
    .command('list')
    .description('show the offered and the installed version, as pg_available_extensions does')
    .action(() => run(async () => undefined))
  command
    .command('install')
    .description('install it where it is missing; with a version, that one in place of another')
    .option('--version <version>', 'like 1.1.0')
    .action(({ version }: { version?: string }) =>
      run((owner) => (version === undefined ? ensureExtension(owner, say) : changeExtension(owner, version, say))),
    )
  return command
}

type Owner = Awaited<ReturnType<typeof connect>>

const run = (work: (owner: Owner) => Promise<void>): Promise<void> =>
  withDatabase(say, async (database) => {
    const owner = await connect(database, say)
    try {
      await work(owner)
      print(asTable(await extensionState(owner)))
    } finally {
      await owner.end()
    }
  })

const COLUMNS = ['name', 'default_version', 'installed_version', 'comment'] as const

function asTable(state: ExtensionState): string {
  const widths = COLUMNS.map((column) => Math.max(column.length, state[column]?.length ?? 0))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(COLUMNS), line(COLUMNS.map((column) => state[column] ?? ''))].join('\n')
}
