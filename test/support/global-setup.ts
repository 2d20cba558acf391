import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../src/service/embedded-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** a superuser's connection URI of the run's PostgreSQL, database `postgres` */
    superuserUrl: string
    /** what the names of the run's databases begin with */
    databasePrefix: string
  }
}

/**
 * One PostgreSQL for the whole run: the built-in one in a folder that is thrown away,
 * or the server that TEST_DATABASE_URL names (as a superuser), to prove another version.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databasePrefix = `stowage_test_${randomBytes(3).toString('hex')}`
  project.provide('databasePrefix', databasePrefix)
  const given = process.env.TEST_DATABASE_URL
  if (given) {
    project.provide('superuserUrl', given)
    return () => dropDatabases(given, databasePrefix)
  }
  const folder = await mkdtemp(join(tmpdir(), 'stowage-test-'))
  const extensionFolder = join(import.meta.dirname, '../../extension')
  const server = await startEmbeddedPostgres({ folder, durable: false, extensionFolder, onLine: () => {} })
  project.provide('superuserUrl', server.superuserUrl)
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>('select datname as name from pg_database where starts_with(datname, $1)', [prefix])
  for (const { name } of rows) {
    await client.query(`alter database "${name}" is_template false`)
    await client.query(`drop database "${name}" with (force)`)
  }
  await client.end()
}
