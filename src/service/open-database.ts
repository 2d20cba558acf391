import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANON, AUTHENTICATED, SERVICE_ROLE } from '../auth/authenticate.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { StartupError } from '../config/startup-error.ts'
import { MigrationError, migrate } from '../pg/migrate.ts'
import { ConnectError, connectOwner, type OwnerConnection } from '../pg/owner-connection.ts'
import { auditDatabase } from './audit-database.ts'
import { DIRECT, findRoute, proveRoute, type Route } from './database-route.ts'
import { ensureExtension } from './ensure-extension.ts'
import { ensureLogins, type LoginUrls, loginUrls, WEB } from './ensure-logins.ts'
import { connectionFacts, fitPools, type PoolSizes, type WantedPools } from './fit-pools.ts'
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

/** What requests are run on. */
export type DatabaseAccess = LoginUrls &
  Pick<Route, 'settingsByRole'> & {
    /** statements are prepared under names */
    readonly keepsNames: boolean
    readonly pools: PoolSizes
    /** the logins on a standby */
    readonly replica: LoginUrls | null
  }

export type WantedAccess = {
  readonly jwtSecret: string
  readonly names: boolean
  readonly pools: WantedPools
  readonly replicaUrl: string | null
}

/** Pools of the settings' sizes, for each worker, and for one more while they are replaced in turn. */
export const wantedAccess = ({ config, given }: LoadedConfig, jwtSecret: string): WantedAccess => ({
  jwtSecret,
  names: config.preparedStatements,
  replicaUrl: config.replicaUrl,
  pools: {
    web: config.webConnections,
    service: config.serviceConnections,
    processes: config.workers === 1 ? 1 : config.workers + 1,
    isChosen: given.has('webConnections') || given.has('serviceConnections'),
  },
})

/**
 * Brings the database to this release: migrations, extension, logins; and finds out how it can be used.
 * @throws StartupError
 */
export async function openDatabase(database: Database, wanted: WantedAccess, onLine: (line: string) => void): Promise<DatabaseAccess> {
  const owner = await connect(database, onLine)
  try {
    await migrateAs(owner, database, onLine)
    await ensureExtension(owner, onLine)
    const route = database.own ? DIRECT : await findRoute(owner, database.ownerUrl)
    const logins = await ensureLogins(owner, wanted.jwtSecret, database.urlFor)
    const keeps = await proveRoute(route, logins, wanted.names)
    if (wanted.names && !keeps) onLine(NAMES_LOST)
    // behind a pooler its limits count, which it does not tell
    const { sizes, warnings } = route.isPooled
      ? { sizes: wanted.pools, warnings: [] }
      : fitPools(wanted.pools, await connectionFacts(owner))
    for (const warning of warnings) onLine(`warning: ${warning}`)
    return { ...logins, settingsByRole: route.settingsByRole, keepsNames: keeps, pools: sizes, replica: replicaLogins(wanted) }
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

/** A standby has the primary's logins. */
function replicaLogins({ replicaUrl, jwtSecret }: WantedAccess): LoginUrls | null {
  return replicaUrl === null ? null : loginUrls(jwtSecret, (login, password) => withLogin(replicaUrl, login, password))
}

const NAMES_LOST =
  'warning: the pooler does not keep prepared statements, so none are used, which costs a third of the speed: with pgbouncer 1.21 or later set max_prepared_statements; STOWAGE_PREPARED_STATEMENTS=off keeps this silent'

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
