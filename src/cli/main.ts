import { Command } from 'commander'
import { packageVersion } from '../service/package-root.ts'
import { bytesCommand } from './bytes.ts'
import { checkConfigCommand } from './check-config.ts'
import { explainCommand } from './explain.ts'
import { exportCommand } from './export.ts'
import { extensionCommand } from './extension.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { printSchemaCommand } from './print-schema.ts'
import { scrubCommand } from './scrub.ts'
import { serveCommand } from './serve.ts'
import { sweepCommand } from './sweep.ts'
import { complain } from './terminal.ts'

const EXAMPLES = `
Examples:
  stowage                                     serve on http://127.0.0.1:8000, data in ./.stowage
  PORT=9000 STOWAGE_DATA=/srv/files stowage   the same elsewhere
  DATABASE_URL=postgresql://me:pw@db/app stowage
                                              use a PostgreSQL of your own (15 to 18)
  stowage keys                                show address and keys again
  stowage keys --json                         the same for scripts
  stowage check-config                        what the settings come to
  stowage print-schema --role anon            the GraphQL schema of a role
  stowage explain books.graphql               what becomes of a GraphQL request

Settings are environment variables: see docs/configuration.md.`

/** Runs one command line; `args` without the program's name. A failure becomes one sentence and exit code 1. */
export async function main(args: readonly string[]): Promise<void> {
  // whoever read our output may have gone; that is no reason to fail
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const program = new Command('stowage')
    .description('Object storage and GraphQL for one PostgreSQL')
    .version(packageVersion(), '-v, --version')
    // so that a command may have a --version of its own
    .enablePositionalOptions()
    .showHelpAfterError('(stowage --help shows all commands)')
    .addHelpText('after', EXAMPLES)
  program.addCommand(serveCommand(), { isDefault: true })
  const others = [
    keysCommand(),
    migrateCommand(),
    checkConfigCommand(),
    printSchemaCommand(),
    explainCommand(),
    extensionCommand(),
    sweepCommand(),
    scrubCommand(),
    bytesCommand(),
    importCommand(),
    exportCommand(),
  ]
  for (const command of others) program.addCommand(command)
  try {
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    complain(error)
    process.exitCode = 1
  }
}
