import type { RoleContext } from '../../src/auth/role-context.ts'
import { createPgPool, type PgPool, type PgPoolOptions } from '../../src/pg/pool.ts'
import type { Row, ScopedBatch } from '../../src/pg/scoped-batch.ts'
import type { PgText, Statement } from '../../src/sqltext/sql.ts'
import { milliseconds, roleName } from '../../src/std/brand.ts'
import { storageSchema } from '../storage/storage-database.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

export type PoolDatabase = FreshDatabase & {
  /** a pool on this database, ended by `drop` at the latest; its connections are a superuser's unless `url` says otherwise */
  readonly pool: (options?: Partial<PgPoolOptions>) => TestPool
}

export type TestPool = PgPool & {
  /** round trips so far, by their number of statements */
  readonly trips: readonly number[]
  /** one batch; rows per statement */
  readonly send: (
    statements: readonly Statement[],
    how?: Partial<ScopedBatch>,
    signal?: AbortSignal,
  ) => Promise<readonly (readonly Row[])[]>
  /** one statement; its only row's first column */
  readonly ask: (text: string, how?: Partial<ScopedBatch>, ...values: readonly PgText[]) => Promise<PgText>
}

export const statement = (text: string, ...values: readonly PgText[]): Statement => ({ text, values })

export const caller = (role: string, subject: string | null = null): RoleContext => ({
  role: roleName(role),
  subject,
  claims: JSON.stringify({ role, ...(subject === null ? {} : { sub: subject }) }),
  token: subject === null ? '' : `token of ${subject}`,
})

/** A migrated database, and pools with short limits over it. */
export async function poolDatabase(name: string): Promise<PoolDatabase> {
  const database = await freshDatabase(name, storageSchema)
  const pools = new Set<PgPool>()
  return {
    ...database,
    pool: (options = {}) => {
      const trips: number[] = []
      const pool = createPgPool({
        url: database.url,
        applicationName: 'pool test',
        maxConnections: 1,
        waitMs: milliseconds(20_000),
        maxWaiting: 500,
        graceMs: milliseconds(5_000),
        mostPrepared: 50,
        searchPath: 'public',
        statementTimeoutMs: () => 10_000,
        onTrip: (statements) => trips.push(statements),
        ...options,
      })
      const send: TestPool['send'] = (statements, how, signal = new AbortController().signal) =>
        pool.run({ as: caller('authenticated', 'ann'), access: 'read write', end: 'commit', settings: [], statements, ...how }, signal)
      let ended: Promise<void> | undefined
      const end = () => {
        ended ??= pool.end()
        return ended
      }
      const test: TestPool = {
        ...pool,
        end,
        trips,
        send,
        ask: async (text, how, ...values) => (await send([statement(text, ...values)], how))[0]?.[0]?.[0] ?? null,
      }
      pools.add(test)
      return test
    },
    drop: async () => {
      await Promise.all([...pools].map((pool) => pool.end()))
      await database.drop()
    },
  }
}
