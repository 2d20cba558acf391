import { StartupError } from '../config/startup-error.ts'
import { ConnectError, connectOwner, type OwnerClient, type OwnerConnection } from '../pg/owner-connection.ts'
import { keepsNames } from '../pg/probe-names.ts'
import { compareSettings, SESSION_OPTIONS, SESSION_SETTINGS, SHOW_SETTINGS } from '../pg/session-settings.ts'
import { quoteLiteral } from '../sqltext/sql.ts'
import { LOGINS, type LoginUrls } from './ensure-logins.ts'

/** What lies between us and the database. */
export type Route = {
  /** a pooler hands each transaction to any of its connections, or may */
  readonly isPooled: boolean
  /** what we count on in a session is set for the logins, since it cannot be said at connect */
  readonly settingsByRole: boolean
}

export const DIRECT: Route = { isPooled: false, settingsByRole: false }

const PROTOCOL_VIOLATION = '08P01'

/**
 * Finds out before the logins connect for the first time: a pooler's connections keep what their role had set when they were made.
 * @throws StartupError
 */
export async function findRoute(owner: OwnerConnection, ownerUrl: string): Promise<Route> {
  const { rows } = await owner.query('/* route.pid */ select pg_catalog.pg_backend_pid() as pid')
  const isPooled = (rows as { pid: number }[])[0]?.pid !== owner.toldPid
  const settingsByRole = isPooled && !(await takesOptions(ownerUrl))
  if (settingsByRole) await setForLogins(owner)
  return { isPooled, settingsByRole }
}

/**
 * With the logins there: whether their sessions are what we count on, and whether names of prepared statements can be used.
 * @throws StartupError when answers would come out wrong
 */
export async function proveRoute({ isPooled, settingsByRole }: Route, { web, service }: LoginUrls, wantsNames: boolean): Promise<boolean> {
  if (settingsByRole) {
    for (const url of [web, service]) {
      const wrong = (await settingsOf(url, null)).wrong
      if (wrong !== null) {
        const { username } = new URL(url)
        throw new StartupError(
          `Sessions of ${username} have another ${wrong} than the service needs. Run "alter role ${username} set ${wrong} = ${neededValue(wrong)}" as a superuser, then RECONNECT in the pooler.`,
        )
      }
    }
  }
  return wantsNames && (!isPooled || (await keepsNames(web)))
}

const neededValue = (name: string): string => quoteLiteral(SESSION_SETTINGS.find((setting) => setting.name === name)?.value ?? '')

/** A pooler refuses what it does not know, or passes it over without a word. */
async function takesOptions(url: string): Promise<boolean> {
  try {
    return (await settingsOf(url, SESSION_OPTIONS)).all
  } catch (error) {
    if (error instanceof ConnectError && error.sqlstate === PROTOCOL_VIOLATION) return false
    throw error
  }
}

async function settingsOf(url: string, options: string | null): Promise<ReturnType<typeof compareSettings>> {
  const connection = await connectOwner(url, 'stowage start', options)
  try {
    return compareSettings((await connection.query(SHOW_SETTINGS)).rows[0] as Record<string, string>)
  } finally {
    await connection.end()
  }
}

/** Once: what stands already is left alone. Who may not is told by {@link proveRoute} if it matters. */
async function setForLogins(owner: OwnerClient): Promise<void> {
  const { rows } = await owner.query(`/* route.role_settings */
    select r.rolname as login,
           coalesce(r.rolconfig, '{}') as settings
      from pg_catalog.pg_roles r
     where r.rolname in (${LOGINS.map(quoteLiteral).join(', ')})`)
  for (const { login, settings } of rows as { login: string; settings: readonly string[] }[]) {
    const known = settings.map((setting) => setting.toLowerCase())
    for (const { name, value } of SESSION_SETTINGS) {
      if (known.includes(`${name}=${value}`.toLowerCase())) continue
      await owner
        .query(`/* route.set_for_login */ alter role ${login} set ${name} = ${quoteLiteral(value)}`)
        .catch((error) => (isNotOurs(error) ? undefined : Promise.reject(error)))
    }
  }
}

/** No right to do so, or another process that starts does the same right now. */
const isNotOurs = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === '42501') || error.message.includes('tuple concurrently'))
