import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { OwnerClient } from './owner-connection.ts'

export type MigrateOptions = {
  /** numbered files, `0001-name.sql`: each runs once, in order, and is frozen from then on */
  readonly migrationsFolder: string
  /** the current text of each function of ours; a file runs again when it changed, so it must be repeatable */
  readonly routinesFolder: string
  /** true if the database was made by us and for us: then the public schema is opened to the API's roles */
  readonly ownDatabase: boolean
  /** told of each file that is about to run */
  readonly onLine: (name: string) => void
}

/** The database could not be brought to this release's state; what was under way was rolled back. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

type Kind = 'migrations' | 'routines'
type SqlFile = { readonly name: string; readonly text: string; readonly sha256: string }

/** One number for every Stowage on this database: migrating is one at a time. */
const LOCK_KEY = '6003817742156239481'

/** PostgreSQL's words for "another session was quicker": roles are shared by databases, which the lock of one database does not cover. */
const TRANSIENT = new Set(['40001', '40P01', '23505', '42710', '42P06', '42P07'])
const ATTEMPTS = 8

/**
 * Brings the database to the state of this release. Each file is its own transaction that also notes it as done, so a kill in the
 * middle loses nothing, and servers that start at once take turns. Returns the files that ran.
 *
 * @throws MigrationError naming the file
 */
export async function migrate(client: OwnerClient, options: MigrateOptions): Promise<readonly string[]> {
  const migrations = await readFiles(options.migrationsFolder)
  const routines = await readFiles(options.routinesFolder)
  checkNumbers(migrations)
  await transaction(client, options, 'the table of migrations', async () => {
    await client.query(LEDGER)
  })
  checkHistory(migrations, await noted(client, 'migrations'))
  const applied: string[] = []
  for (const file of migrations) if (await applyFile(client, options, 'migrations', file)) applied.push(file.name)
  for (const file of routines) if (await applyFile(client, options, 'routines', file)) applied.push(file.name)
  return applied
}

const LEDGER = `/* migrations.create_ledger */
do $$
begin
  if to_regnamespace('stowage') is null then
    create schema stowage;
  end if;
  if to_regclass('stowage.migrations') is null then
    create table stowage.migrations (
      name text not null primary key,
      sha256 text not null,
      applied_at timestamptz not null default clock_timestamp()
    );
  end if;
  if to_regclass('stowage.routines') is null then
    create table stowage.routines (
      name text not null primary key,
      sha256 text not null,
      applied_at timestamptz not null default clock_timestamp()
    );
  end if;
end $$`

async function readFiles(folder: string): Promise<readonly SqlFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      // a checkout may have changed the line ends, which changes nothing
      const text = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

function checkNumbers(files: readonly SqlFile[]): void {
  files.forEach((file, i) => {
    const expected = String(i + 1).padStart(4, '0')
    if (!file.name.startsWith(`${expected}-`))
      throw new MigrationError(`The migrations are incomplete: ${file.name} stands where ${expected}-*.sql belongs.`)
  })
}

function checkHistory(files: readonly SqlFile[], done: ReadonlyMap<string, string>): void {
  for (const [name, sha256] of done) {
    const file = files.find((candidate) => candidate.name === name)
    if (!file) throw new MigrationError(`The database was migrated by a newer release, which brought ${name}: start that release.`)
    if (file.sha256 !== sha256) {
      throw new MigrationError(`${name} was changed after this database had run it: put the file back, and make the change in a new one.`)
    }
  }
}

async function noted(client: OwnerClient, kind: Kind): Promise<Map<string, string>> {
  const { rows } = await client.query(`/* migrations.read */ select name, sha256 from stowage.${kind}`).catch((error) => {
    throw explained(`the list of ${kind}`, error)
  })
  return new Map((rows as { name: string; sha256: string }[]).map(({ name, sha256 }) => [name, sha256]))
}

async function applyFile(client: OwnerClient, options: MigrateOptions, kind: Kind, file: SqlFile): Promise<boolean> {
  if ((await noted(client, kind)).get(file.name) === file.sha256) return false
  let ran = false
  await transaction(client, options, file.name, async () => {
    ran = false
    const known = (await noted(client, kind)).get(file.name)
    if (known === file.sha256) return
    options.onLine(file.name)
    await client.query(file.text)
    await client.query(
      `/* migrations.note */
      insert into stowage.${kind} (name, sha256)
      values ($1::text, $2::text)
      on conflict (name) do update
        set sha256 = excluded.sha256,
            applied_at = clock_timestamp()`,
      [file.name, file.sha256],
    )
    ran = true
  })
  return ran
}

/** The lock ends with the transaction, so it holds behind a pooler too, and a killed process leaves none. */
async function transaction(client: OwnerClient, options: MigrateOptions, name: string, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin')
      await client.query(
        `/* migrations.prepare */
        select
          set_config('lock_timeout', '60s', true),
          set_config('statement_timeout', '0', true),
          set_config('client_min_messages', 'warning', true),
          set_config('search_path', 'public', true),
          set_config('stowage.own_database', $1::text, true),
          pg_advisory_xact_lock($2::bigint)`,
        [options.ownDatabase ? 'on' : 'off', LOCK_KEY],
      )
      await work()
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      if (attempt === ATTEMPTS || !isTransient(error)) throw explained(name, error)
      await sleep(attempt * 25 * (1 + Math.random()))
    }
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (TRANSIENT.has(error.code ?? '') || error.message.includes('tuple concurrently'))

function explained(name: string, error: unknown): Error {
  if (error instanceof MigrationError) return error
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error ? error : new Error(String(error))
  if (error.code === '42501') {
    return new MigrationError(
      `The database login may not run ${name} (${error.message}): name the owner of the database or a superuser in DATABASE_URL.`,
      {
        cause: error,
      },
    )
  }
  if (error.code === '55P03') {
    return new MigrationError(`${name} waited a minute for something else that locks the database (${error.message}): try again.`, {
      cause: error,
    })
  }
  // the detail says which row stands against it
  const more = error.detail ?? error.where?.split('\n')[0]
  return new MigrationError(`${name} failed and was rolled back: ${error.message}${more ? ` (${more})` : ''}`, { cause: error })
}
