import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import { reasonOf, StartupError } from '../config/startup-error.ts'
import type { Explained } from '../service/explain-request.ts'
import { withDatabase } from '../service/with-database.ts'
import { names } from './names.ts'
import { print, say } from './terminal.ts'

const EXAMPLES = `
Examples:
  stowage explain books.graphql
  echo '{ bookCollection { edges { node { title } } } }' | stowage explain -
  stowage explain --role authenticated --claims '{"sub": "6f0ab9c4-…"}' --variables '{"first": 5}' books.graphql
  stowage explain --analyze --json books.graphql

Nothing is changed: each transaction is rolled back, with --analyze too (but what leaves the database, or a sequence's next value).`

type Options = {
  readonly role?: string
  readonly claims: string
  readonly variables: string
  readonly operation?: string
  readonly schemas?: readonly string[]
  readonly analyze?: boolean
  readonly json?: boolean
}

export const explainCommand = (): Command =>
  new Command('explain')
    .description('show what becomes of a GraphQL request: its plan, its SQL with values, and what PostgreSQL makes of that')
    .argument('<file>', 'the GraphQL document; - reads it from standard input')
    .option('--role <role>', "who asks, a role of the database (default: the claims', else anon)")
    .option('--claims <json>', "what the asker's token says", '{}')
    .option('--variables <json>', 'the variables of the document', '{}')
    .option('--operation <name>', 'which operation, where the document has several')
    .option('--schemas <names>', 'schemas in the order of a search path, between commas (default: STOWAGE_GRAPHQL_SCHEMAS)', names)
    .option('--analyze', 'run the statements, and show what they took')
    .option('--json', 'as JSON: {plan, statements: [{text, values, explain}], errors}')
    .addHelpText('after', EXAMPLES)
    .action(explain)

async function explain(file: string, options: Options): Promise<void> {
  const { config } = loadConfig()
  const query = await readDocument(file)
  // only this command needs the compiler of GraphQL: the others start sooner without
  const { explainRequest } = await import('../service/explain-request.ts')
  const explained = await withDatabase(say, (database) =>
    explainRequest(
      database,
      {
        query,
        role: options.role ?? null,
        claims: options.claims,
        variables: options.variables,
        operationName: options.operation ?? null,
        schemas: options.schemas ?? config.graphqlSchemas,
        analyze: options.analyze ?? false,
        statementTimeoutMs: config.serviceTimeout,
      },
      say,
    ),
  )
  print(options.json ? JSON.stringify(explained, null, 2) : asText(explained))
  if (explained.errors.length > 0) process.exitCode = 1
}

async function readDocument(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new StartupError(`The document cannot be read: ${reasonOf(error)}.`, { cause: error })
  }
}

function asText({ plan, statements, errors }: Explained): string {
  const sections = [['plan', plan], ...errors.map((error) => ['error', error])]
  statements.forEach(({ text: sql, values, explain: lines }, i) => {
    const number = statements.length > 1 ? ` ${i + 1}` : ''
    sections.push([`statement${number}`, breakLines(sql)])
    if (values.length > 0)
      sections.push([
        `values${number}`,
        values.map((value, at) => `$${at + 1} = ${value === null ? 'null' : JSON.stringify(value)}`).join('\n'),
      ])
    if (lines.length > 0) sections.push([`explain${number}`, lines.join('\n')])
  })
  return sections
    .map(([title, body]) => `-- ${title}\n${body}\n`)
    .join('\n')
    .trimEnd()
}

/** A clause a line; what is quoted stays as it is. */
const breakLines = (sql: string): string =>
  sql.replaceAll(
    /('(?:[^']|'')*'|"(?:[^"]|"")*")| (?=from |where |order by |limit |values |returning |set )|(?<=\*\/) /g,
    (_, quoted: string | undefined) => quoted ?? '\n',
  )
