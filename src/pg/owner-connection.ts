import pg from 'pg'
import { connectOptions } from './connect-options.ts'

/** What a `pg` client or pool client offers, for the few statements that the database's owner runs: several at once, no values as text. */
export type OwnerClient = {
  readonly query: (text: string, values?: string[]) => Promise<{ readonly rows: readonly unknown[] }>
}

export type OwnerConnection = OwnerClient & {
  /** of the server's process, as it was told at the start: a pooler tells a number of its own */
  readonly toldPid: number | null
  readonly end: () => Promise<void>
}

/** Why a connection was not had. `sqlstate` is null when no PostgreSQL answered. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly sqlstate: string | null

  constructor(message: string, sqlstate: string | null, options?: ErrorOptions) {
    super(message, options)
    this.sqlstate = sqlstate
  }
}

/**
 * One connection, outside the pools.
 * @param options of the session
 * @throws ConnectError whose message never holds the password
 */
export async function connectOwner(url: string, applicationName: string, options: string | null = null): Promise<OwnerConnection> {
  let client: pg.Client
  try {
    client = new pg.Client({ ...connectOptions(url, applicationName, options), connectionTimeoutMillis: 10_000 })
  } catch (error) {
    throw new ConnectError(wordsOf(error), null, { cause: error })
  }
  // an error between statements shows in the next one
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    await client.end().catch(() => undefined)
    const sqlstate = error instanceof pg.DatabaseError ? (error.code ?? null) : null
    throw new ConnectError(wordsOf(error), sqlstate, { cause: error })
  }
  return {
    query: async (text, values) => {
      const result: pg.QueryResult | pg.QueryResult[] = await client.query(text, values)
      return Array.isArray(result) ? (result.at(-1) ?? { rows: [] }) : result
    },
    toldPid: (client as unknown as { processID: number | null }).processID,
    end: () => client.end(),
  }
}

/** Node gives an error without a message when several addresses of a host were tried. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ')
  if (error instanceof Error) return error.message || error.name
  return String(error)
}
