import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANON, AUTHENTICATED, SERVICE_ROLE } from '../auth/authenticate.ts'
import { StartupError } from '../config/startup-error.ts'
import { MigrationError, migrate } from '../pg/migrate.ts'
import { ConnectError, connectOwner, type OwnerConnection } from '../pg/owner-connection.ts'
import { auditDatabase } from './audit-database.ts'
import { ensureExtension } from './ensure-extension.ts'
import { ensureLogins, type LoginUrls, WEB } from './ensure-logins.ts'
import { PACKAGE_ROOT } from './package-root.ts'

export type Database = {
  /** the owner's connection string */
  readonly ownerUrl: string
  /** connection string of another login on the same database */
  readonly urlFor: (login: string, password: string) => string
  /** true if it is the built-in one */
  readonly own: boolean
}

const OLDEST = 150_000
const MIGRATIONS = join(PACKAGE_ROOT, 'migrations')
/** How long a server that is starting or recovering is waited for. */
const PATIENCE_MS = 60_000

/** The database that DATABASE_URL names. */
export const foreignDatabase = (url: string): Database => ({
  ownerUrl: url,
  urlFor: (login, password) => withLogin(url, login, password),
  own: false,
})

/**
 * Brings the database to this release: migrations, extension, logins.
 * @throws StartupError
 */
export async function openDatabase(database: Database, jwtSecret: string, onLine: (line: string) => void): Promise<LoginUrls> {
  const owner = await connect(database, onLine)
  try {
    await migrateAs(owner, database, onLine)
    await ensureExtension(owner, onLine)
    return await ensureLogins(owner, jwtSecret, database.urlFor)
  } finally {
    await owner.end()
  }
}

/**
 * What is wrong with roles, grants and settings of the database, for the operator.
 * @throws StartupError when row security is undone
 */
export async function auditedDatabase(database: Database, extraRoles: readonly string[], onLine: (line: string) => void): Promise<void> {
  const owner = await connect(database, onLine)
  try {
    const roles = { web: WEB, callers: [ANON, AUTHENTICATED], service: SERVICE_ROLE, extra: extraRoles }
    for (const text of await auditDatabase(owner, roles)) onLine(`warning: ${text}`)
  } finally {
    await owner.end()
  }
}

/** The part of {@link openDatabase} that changes the database's schema. Returns the files that ran. */
export async function migrateDatabase(database: Database, onLine: (line: string) => void): Promise<readonly string[]> {
  const owner = await connect(database, onLine)
  try {
    const ran = await migrateAs(owner, database, onLine)
    await ensureExtension(owner, onLine)
    return ran
  } finally {
    await owner.end()
  }
}

/** The file that a database of this release has run last. */
export const lastMigration = async (): Promise<string> =>
  (await readdir(MIGRATIONS))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1) ?? ''

/** A connection as the owner, to a server that fits. */
export async function connect(database: Database, onLine: (line: string) => void): Promise<OwnerConnection> {
  const owner = await connectPatiently(database, onLine)
  const { rows } = await owner.query(`/* database.version */
    select
      current_setting('server_version_num')::int as number,
      current_setting('server_version') as name,
      pg_catalog.pg_is_in_recovery() as standby`)
  const [version] = rows as { number: number; name: string; standby: boolean }[]
  if (version && version.number >= OLDEST && !version.standby) return owner
  await owner.end()
  if (version?.standby) throw new StartupError('DATABASE_URL leads to a standby, which cannot be written: name the primary.')
  throw new StartupError(`DATABASE_URL leads to PostgreSQL ${version?.name}, and 15 is the oldest that is supported.`)
}

async function connectPatiently(database: Database, onLine: (line: string) => void): Promise<OwnerConnection> {
  const until = performance.now() + PATIENCE_MS
  for (let told = false; ; told = true) {
    try {
      return await connectOwner(database.ownerUrl, 'stowage start')
    } catch (error) {
      const isStarting = error instanceof ConnectError && error.sqlstate === '57P03' && performance.now() < until
      if (!isStarting) throw error instanceof ConnectError ? unreachable(database, error) : error
      if (!told) onLine('waiting for the database server, which is starting')
      await sleep(250)
    }
  }
}

function unreachable({ ownerUrl, own }: Database, error: ConnectError): StartupError {
  const what = own ? 'The built-in database' : `The database ${placeOf(ownerUrl)}`
  const setting = own ? '' : ' Check DATABASE_URL.'
  switch (error.sqlstate) {
    case '28P01':
    case '28000':
      return new StartupError(`${what} refused the login: ${error.message}.${setting}`, { cause: error })
    case null:
      return new StartupError(`${what} cannot be reached: ${error.message}.${setting}`, { cause: error })
    default:
      return new StartupError(`${what} refused the connection: ${error.message}.${setting}`, { cause: error })
  }
}

/** Where it is, without login and password. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return ''
  const { hostname, port, searchParams } = new URL(url)
  return `at ${searchParams.get('host') ?? (hostname || 'localhost')}:${searchParams.get('port') ?? (port || '5432')}`
}

function withLogin(url: string, login: string, password: string): string {
  // a connection over a socket may name no host, and then a URL can hold no login
  const changed = new URL(url.replace(/^([^/]+:\/\/[^/@]*@)\//, '$1localhost/'))
  if (changed.hostname === '') changed.hostname = 'localhost'
  changed.username = login
  changed.password = password
  for (const name of ['user', 'password']) changed.searchParams.delete(name)
  return changed.href
}

async function migrateAs(owner: OwnerConnection, { own }: Database, onLine: (line: string) => void): Promise<readonly string[]> {
  let told = false
  const tellOnce = () => {
    if (!told) onLine('bringing the database up to date')
    told = true
  }
  try {
    return await migrate(owner, {
      migrationsFolder: MIGRATIONS,
      routinesFolder: join(PACKAGE_ROOT, 'sql/routines'),
      ownDatabase: own,
      onLine: tellOnce,
    })
  } catch (error) {
    throw error instanceof MigrationError ? new StartupError(error.message, { cause: error }) : error
  }
}
