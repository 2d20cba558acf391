import { setTimeout as sleep } from 'node:timers/promises'
import { loginPassword, scramVerifier } from '../auth/login-password.ts'
import { reasonOf, StartupError } from '../config/startup-error.ts'
import { ConnectError, connectOwner, type OwnerClient } from '../pg/owner-connection.ts'
import { quoteIdent, quoteLiteral } from '../sqltext/sql.ts'

export type LoginUrls = { readonly web: string; readonly service: string }

/** The login that serves callers. */
export const WEB = 'stowage_web'
const SERVICE = 'stowage_service'

/** The logins that requests run on. */
export const LOGINS: readonly string[] = [WEB, SERVICE]

const ATTEMPTS = 8

/** Connection strings of the two logins, whose passwords follow from the secret. */
export const loginUrls = (jwtSecret: string, urlFor: (login: string, password: string) => string): LoginUrls => ({
  web: urlFor(WEB, loginPassword(jwtSecret, WEB)),
  service: urlFor(SERVICE, loginPassword(jwtSecret, SERVICE)),
})

/**
 * Connection strings of the two logins that requests run on, proven to work. Their passwords follow from the secret; where one is refused
 * (a new database, another secret before) the owner sets it.
 *
 * @throws StartupError
 */
export async function ensureLogins(
  owner: OwnerClient,
  jwtSecret: string,
  urlFor: (login: string, password: string) => string,
): Promise<LoginUrls> {
  const without = await loginsWithoutPassword(owner)
  const ensure = async (login: string): Promise<string> => {
    const password = loginPassword(jwtSecret, login)
    const url = urlFor(login, password)
    // trying would leave a refusal in the server's log at every first start
    if (!without.includes(login) && (await canConnect(url))) return url
    if (await isInUse(owner, login)) {
      // by one that started at the same moment, perhaps, and has set the same
      if (await canConnect(url)) return url
      throw new StartupError(
        `Another Stowage with another JWT_SECRET runs on this database server: all of them share the login ${login}, so set the same secret, or stop that one.`,
      )
    }
    await setPassword(owner, login, password)
    if (await canConnect(url)) return url
    throw new StartupError(
      `The database does not let ${login} in though its password is right: allow it in pg_hba.conf, or in the pooler (with pgbouncer: auth_query, or a line of its auth_file).`,
    )
  }
  const [web, service] = await Promise.all([ensure(WEB), ensure(SERVICE)])
  return { web, service }
}

/** Only a superuser may look; anybody else learns by trying. */
async function loginsWithoutPassword(owner: OwnerClient): Promise<readonly string[]> {
  const found = await owner
    .query(
      `/* logins.without_password */ select a.rolname as name from pg_catalog.pg_authid a where a.rolname in ('${WEB}', '${SERVICE}') and a.rolpassword is null`,
    )
    .catch(() => ({ rows: [] }))
  return (found.rows as { name: string }[]).map(({ name }) => name)
}

/** Whoever changed the password under a running service would take its next connections away. A session that ends right now is waited for. */
async function isInUse(owner: OwnerClient, login: string): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { rows } = await owner.query(
      `/* logins.in_use */ select from pg_catalog.pg_stat_activity a where a.usename = ${quoteLiteral(login)} limit 1`,
    )
    if (rows.length === 0) return false
    await sleep(250)
  }
  return true
}

/** False when the password is wrong. */
async function canConnect(url: string): Promise<boolean> {
  try {
    await (await connectOwner(url, 'stowage start')).end()
    return true
  } catch (error) {
    if (error instanceof ConnectError && (error.sqlstate === '28P01' || error.sqlstate === '28000')) return false
    throw new StartupError(`The database, or the pooler in front of it, does not let ${new URL(url).username} in: ${reasonOf(error)}.`, {
      cause: error,
    })
  }
}

async function setPassword(owner: OwnerClient, login: string, password: string): Promise<void> {
  const statement = `/* logins.set_password */ alter role ${quoteIdent(login)} password ${quoteLiteral(scramVerifier(password))}`
  for (let attempt = 1; ; attempt += 1) {
    try {
      await owner.query(statement)
      return
    } catch (error) {
      const otherWasQuicker = reasonOf(error).includes('tuple concurrently')
      if (!otherWasQuicker || attempt === ATTEMPTS) {
        throw new StartupError(
          `The password of the login ${login} could not be set (${reasonOf(error)}): start once with a superuser in DATABASE_URL.`,
          {
            cause: error,
          },
        )
      }
      await sleep(attempt * 20 * (1 + Math.random()))
    }
  }
}
