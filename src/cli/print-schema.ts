import { Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import { withDatabase } from '../service/with-database.ts'
import { names } from './names.ts'
import { print, say } from './terminal.ts'

const EXAMPLES = `
Examples:
  stowage print-schema                                  what anybody can ask for
  stowage print-schema --role authenticated > schema.graphql
  stowage print-schema --role service_role --schemas public,shop

Everything is printed that the role can ask for, whether or not introspection is switched on. A table is missing?
stowage_graphql.why_missing('public.book', 'anon') says why, in the database.`

export const printSchemaCommand = (): Command =>
  new Command('print-schema')
    .description('print the GraphQL schema of a role, in the schema definition language')
    .option('--role <role>', 'a role of the database', 'anon')
    .option('--schemas <names>', 'schemas in the order of a search path, between commas (default: STOWAGE_GRAPHQL_SCHEMAS)', names)
    .addHelpText('after', EXAMPLES)
    .action(async ({ role, schemas }: { role: string; schemas?: readonly string[] }) => {
      const { config } = loadConfig()
      // only this command needs it: the others start sooner without
      const { printSchema } = await import('../service/print-schema.ts')
      const options = { role, schemas: schemas ?? config.graphqlSchemas, statementTimeoutMs: config.serviceTimeout }
      const sdl = await withDatabase(say, (database) => printSchema(database, options, say))
      print(sdl.trimEnd())
    })
