import { BadSetting } from './setting-types.ts'

/** How a connection is encrypted and whom it trusts, with libpq's words and meaning (PostgreSQL manual 32.19). */
export type SslMode = 'disable' | 'allow' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'

export type DatabaseTls = {
  readonly mode: SslMode
  /** a file of certificates, or `system`; null: libpq's own place, `~/.postgresql/root.crt`, if there is one */
  readonly rootCertificate: string | null
  readonly certificate: string | null
  readonly key: string | null
  readonly keyPassword: string | null
  readonly revoked: string | null
  /** whether TLS begins at once, or is asked for first as servers before 17 need it */
  readonly negotiation: 'postgres' | 'direct'
  readonly channelBinding: 'disable' | 'prefer' | 'require'
}

/** A connection URI (PostgreSQL manual 32.1.1.2), taken apart. */
export type DatabaseAddress = {
  /** a name, an address, or the folder of a Unix socket */
  readonly host: string
  readonly port: number
  /** null: the account's */
  readonly user: string | null
  readonly password: string | null
  /** null: called like the user */
  readonly database: string | null
  /** command-line options for the server's session */
  readonly options: string | null
  readonly tls: DatabaseTls
}

const SSL_MODES: readonly SslMode[] = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']
const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'] as const
const NEGOTIATIONS = ['postgres', 'direct'] as const

const USED = [
  ...['host', 'port', 'user', 'password', 'dbname', 'options', 'channel_binding'],
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword', 'sslcrl', 'sslnegotiation'],
]
/** Known to libpq, and decided here by ourselves or by settings of ours. */
const PASSED_OVER = [
  ...['application_name', 'fallback_application_name', 'client_encoding', 'connect_timeout', 'gssencmode', 'sslsni', 'uselibpqcompat'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
]

const FORM = 'must be a connection string like postgresql://user:password@host:5432/database'

/**
 * Nothing is passed over that could have been meant to protect: a parameter that PostgreSQL's own clients do not know is an error, as
 * with them, so that a slip of the pen in `sslmode` does not open a connection.
 * @throws BadSetting whose message holds no secret
 */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const url = urlOf(text)
  const given = url.searchParams
  for (const name of given.keys()) {
    if (!USED.includes(name) && !PASSED_OVER.includes(name)) {
      throw new BadSetting(`${FORM}; its parameter ${JSON.stringify(name)} is none that PostgreSQL's clients know: leave it out`)
    }
  }
  const ask = (name: string): string | null => given.get(name) || null
  const tls: DatabaseTls = {
    mode: sslMode(ask('sslmode'), ask('ssl'), ask('sslrootcert')),
    rootCertificate: ask('sslrootcert'),
    certificate: ask('sslcert'),
    key: ask('sslkey'),
    keyPassword: ask('sslpassword'),
    revoked: ask('sslcrl'),
    negotiation: oneOf('sslnegotiation', NEGOTIATIONS, ask('sslnegotiation'), 'postgres'),
    channelBinding: oneOf('channel_binding', CHANNEL_BINDINGS, ask('channel_binding'), 'prefer'),
  }
  if (tls.negotiation === 'direct' && ['disable', 'allow', 'prefer'].includes(tls.mode)) {
    throw new BadSetting(`${FORM}; sslnegotiation=direct needs sslmode=require or stronger`)
  }
  if ((tls.certificate === null) !== (tls.key === null)) throw new BadSetting(`${FORM}; sslcert and sslkey belong together`)
  return {
    host: ask('host') ?? (decode(url.hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost'),
    port: portOf(ask('port') ?? url.port),
    user: ask('user') ?? (decode(url.username) || null),
    password: ask('password') ?? (decode(url.password) || null),
    database: ask('dbname') ?? (decode(url.pathname.slice(1)) || null),
    options: ask('options'),
    tls,
  }
}

/** A connection over a Unix socket is never encrypted, whatever the mode: it does not leave the machine. */
export const isSocketFolder = (host: string): boolean => host.startsWith('/')

function urlOf(text: string): URL {
  if (!/^postgres(ql)?:\/\/./.test(text)) throw new BadSetting(FORM)
  // unlike other URLs it may name a login and no host, and a folder as the host
  if (/^[^/]*\/\/[^/?]*,/.test(text)) throw new BadSetting(`${FORM}, with one host`)
  const readable = text.replace(/^([^/]+:\/\/[^/@]*@)(?=[/?]|$)/, '$1localhost').replace(/^([^/]+:\/\/)(?=[/?])/, '$1localhost')
  if (!URL.canParse(readable)) throw new BadSetting(FORM)
  return new URL(readable)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new BadSetting(`${FORM}, where a % is written %25`)
  }
}

function sslMode(mode: string | null, ssl: string | null, rootCertificate: string | null): SslMode {
  if (ssl !== null && ssl !== 'true') throw new BadSetting(`${FORM}; write sslmode instead of ssl=${ssl}`)
  const weakest = rootCertificate === 'system' ? 'verify-full' : ssl === null ? 'prefer' : 'require'
  const chosen = oneOf('sslmode', SSL_MODES, mode, weakest)
  if (rootCertificate === 'system' && chosen !== 'verify-full')
    throw new BadSetting(`${FORM}; sslrootcert=system needs sslmode=verify-full`)
  return chosen
}

function portOf(text: string): number {
  const port = text === '' ? 5432 : Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new BadSetting(`${FORM}; its port is a number from 1 to 65535`)
}

function oneOf<Word extends string>(name: string, words: readonly Word[], given: string | null, fallback: Word): Word {
  const word = given === null ? fallback : words.find((candidate) => candidate === given)
  if (word !== undefined) return word
  throw new BadSetting(`${FORM}; ${name} is one of ${words.join(', ')}`)
}
