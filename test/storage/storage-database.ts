import { join } from 'node:path'
import { migrate } from '../../src/pg/migrate.ts'
import { connectOwner } from '../../src/pg/owner-connection.ts'
import { createPgPool, type PgPool } from '../../src/pg/pool.ts'
import type { Row, ScopedBatch } from '../../src/pg/scoped-batch.ts'
import type { Statement } from '../../src/sqltext/sql.ts'
import { milliseconds, roleName } from '../../src/std/brand.ts'
import { type FreshDatabase, freshDatabase, type Template } from '../support/postgres.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A database as `stowage serve` leaves it before the first request. */
export const storageSchema: Template = {
  name: 'storage_schema',
  build: async (url) => {
    const owner = await connectOwner(url, 'test')
    await migrate(owner, {
      migrationsFolder: join(ROOT, 'migrations'),
      routinesFolder: join(ROOT, 'sql/routines'),
      ownDatabase: true,
      onLine: () => {},
    })
    await owner.end()
  },
}

export type Caller = { readonly role: string; readonly subject?: string; readonly claims?: object }

export type StorageDatabase = FreshDatabase & {
  readonly pool: PgPool
  /** statements of one transaction; rows per statement */
  readonly as: (caller: Caller, statements: readonly Statement[], how?: Partial<ScopedBatch>) => Promise<readonly (readonly Row[])[]>
  /** one statement, its rows */
  readonly service: (text: string, ...values: readonly string[]) => Promise<readonly Row[]>
}

export const service: Caller = { role: 'service_role' }

export async function storageDatabase(name: string): Promise<StorageDatabase> {
  const database = await freshDatabase(name, storageSchema)
  const pool = createPgPool({
    url: database.url,
    applicationName: 'test',
    maxConnections: 8,
    waitMs: milliseconds(20_000),
    maxWaiting: 500,
    graceMs: milliseconds(5_000),
    mostPrepared: 50,
    searchPath: '"$user", public, extensions',
    statementTimeoutMs: () => 20_000,
  })
  const as: StorageDatabase['as'] = ({ role, subject, claims }, statements, how) =>
    pool.run(
      {
        as: { role: roleName(role), subject: subject ?? null, claims: JSON.stringify({ role, sub: subject, ...claims }), token: '' },
        access: 'read write',
        end: 'commit',
        settings: [['storage.allow_delete_query', 'true']],
        statements,
        ...how,
      },
      new AbortController().signal,
    )
  return {
    ...database,
    pool,
    as,
    service: async (text, ...values) => (await as(service, [{ text, values }]))[0] ?? [],
    drop: async () => {
      await pool.end()
      await database.drop()
    },
  }
}
