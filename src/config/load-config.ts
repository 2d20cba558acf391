import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isSocketFolder, parseDatabaseAddress } from './database-address.ts'
import { databaseTrust } from './database-trust.ts'
import { type Config, OPTIONS, type Option } from './options.ts'
import { BadSetting } from './setting-types.ts'
import { reasonOf, StartupError } from './startup-error.ts'
import { traceHeaders } from './trace-headers.ts'

export type LoadedConfig = {
  readonly config: Config
  /** what works but is unwise */
  readonly warnings: readonly string[]
  /** names of the options that were set */
  readonly given: ReadonlySet<keyof Config>
  /** what STOWAGE_JWKS holds or names */
  readonly keySet: KeySetSource | null
}

/** A key set as it was when the settings were read, and the file it came from, which may change. */
export type KeySetSource = { readonly json: string; readonly file: string | null }

export type Environment = Readonly<Record<string, string | undefined>>

const MIN_SECRET_BYTES = 32
const MIN_TOKEN_LENGTH = 16

/** Secrets that stand in manuals and starter kits: whoever reads them can sign tokens. */
const SAMPLE_SECRET = /super-secret-jwt-token|your-super-secret|change-?me|my-?secret|^(.)\1+$/i

/**
 * The configuration from the environment. An empty variable counts as absent.
 * @throws StartupError with every problem, one a line
 */
export function loadConfig(environment: Environment = process.env): LoadedConfig {
  const problems: string[] = []
  const warnings: string[] = []
  const given = new Set<keyof Config>()
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(OPTIONS) as [keyof Config, Option<unknown>][]) {
    values[name] = option.fallback
    try {
      const text = textOf(option, environment)
      if (text === null) continue
      given.add(name)
      values[name] = option.type.read(text)
    } catch (error) {
      problems.push(problemOf(option, environment, error))
    }
  }
  const config = { ...values, dataFolder: resolve(String(values.dataFolder)) } as Config
  const keySet = check(config, problems, warnings)
  problems.push(...unknownNames(environment))
  if (problems.length > 0) throw new StartupError(problems.join('\n'))
  return { config, warnings, given, keySet }
}

function textOf(option: Option<unknown>, environment: Environment): string | null {
  const text = environment[option.env]?.trim() || null
  const path = option.secret ? environment[`${option.env}_FILE`]?.trim() : undefined
  if (!path) return text
  if (text !== null) throw new BadSetting(`set only one of ${option.env} and ${option.env}_FILE`)
  return readFileSync(path, 'utf8').trim() || null
}

function problemOf(option: Option<unknown>, environment: Environment, error: unknown): string {
  if (!(error instanceof BadSetting)) return `${option.env}_FILE cannot be read: ${reasonOf(error)}`
  if (option.secret) return `${option.env}: ${error.message}`
  return `${option.env} must be ${error.message}, not ${JSON.stringify(environment[option.env])}`
}

/** What a single value cannot tell. */
function check(config: Config, problems: string[], warnings: string[]): KeySetSource | null {
  const { jwtSecret, databaseUrl } = config
  if (jwtSecret !== null) {
    const length = Buffer.byteLength(jwtSecret)
    if (length < MIN_SECRET_BYTES) problems.push(`JWT_SECRET must have at least ${MIN_SECRET_BYTES} bytes, not ${length}`)
    else if (SAMPLE_SECRET.test(jwtSecret))
      warnings.push('JWT_SECRET looks like a sample out of a manual: whoever knows it can sign any token')
  }
  if (config.storeAlso === config.store) problems.push('STOWAGE_STORE_ALSO must name the other store than STOWAGE_STORE')
  if ((config.store === 's3' || config.storeAlso === 's3') && config.s3Bucket === null)
    problems.push('STOWAGE_S3_BUCKET must name the bucket, since the store is s3')
  if (config.s3Endpoint !== null && !isEndpoint(config.s3Endpoint))
    problems.push(
      `STOWAGE_S3_ENDPOINT must be an address like https://s3.example.com${config.s3Endpoint.includes('@') ? ', without credentials' : `, not ${JSON.stringify(config.s3Endpoint)}`}`,
    )
  if (config.s3Prefix !== null && !isKeyPrefix(config.s3Prefix))
    problems.push(`STOWAGE_S3_PREFIX must be a folder like files/stowage, not ${JSON.stringify(config.s3Prefix)}`)
  if (databaseUrl !== null) checkAddress('DATABASE_URL', databaseUrl, problems)
  if (config.replicaUrl !== null) checkAddress('DATABASE_REPLICA_URL', config.replicaUrl, problems)
  if (config.replicaUrl !== null && databaseUrl === null)
    problems.push('DATABASE_REPLICA_URL needs DATABASE_URL: the built-in PostgreSQL has no standby')
  if (config.graphqlSchemas.length === 0) problems.push('STOWAGE_GRAPHQL_SCHEMAS must name at least one schema')
  if (config.metricsPort !== null && config.metricsToken === null && !isLoopback(config.metricsHost))
    warnings.push('STOWAGE_METRICS_HOST opens the metrics to the network, and there is no STOWAGE_METRICS_TOKEN')
  if (config.metricsToken !== null && config.metricsToken.length < MIN_TOKEN_LENGTH)
    problems.push(`STOWAGE_METRICS_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters, not ${config.metricsToken.length}`)
  if (config.traceEndpoint !== null && !isHttpAddress(config.traceEndpoint))
    problems.push('OTEL_EXPORTER_OTLP_ENDPOINT must be an address like http://127.0.0.1:4318')
  if (traceHeaders(config.traceHeaders ?? '') === null)
    problems.push('OTEL_EXPORTER_OTLP_HEADERS must hold headers like name=value,other=value')
  for (const origin of config.corsOrigins) {
    if (origin !== '*' && !isOrigin(origin))
      problems.push(`STOWAGE_CORS_ORIGINS must hold origins like https://example.com, not ${JSON.stringify(origin)}`)
  }
  for (const role of config.extraRoles) {
    if (Buffer.byteLength(role) > 63 || role.includes('\0'))
      problems.push(`STOWAGE_ROLES must hold names of database roles, not ${JSON.stringify(role)}`)
  }
  return config.jwks === null ? null : readKeySet(config.jwks, problems)
}

function checkAddress(env: string, text: string, problems: string[]): void {
  try {
    const { host, tls } = parseDatabaseAddress(text)
    try {
      if (tls.mode !== 'disable' && !isSocketFolder(host)) databaseTrust(tls)
    } catch (error) {
      problems.push(`${env}: ${reasonOf(error)}`)
    }
  } catch (error) {
    problems.push(`${env} ${reasonOf(error)}`)
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

const isHttpAddress = (text: string): boolean => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

const isEndpoint = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === ''
}

/** Letters that every store and tool takes in a key as they are. */
const isKeyPrefix = (text: string): boolean => /^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(text) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(text)

function readKeySet(setting: string, problems: string[]): KeySetSource | null {
  try {
    const file = setting.startsWith('{') ? null : resolve(setting)
    const json = file === null ? setting : readFileSync(file, 'utf8')
    const parsed: unknown = JSON.parse(json)
    if (typeof parsed === 'object' && parsed !== null && 'keys' in parsed && Array.isArray(parsed.keys) && parsed.keys.length > 0)
      return { json, file }
    problems.push('STOWAGE_JWKS must be a key set with at least one key, like {"keys":[...]}')
  } catch (error) {
    problems.push(`STOWAGE_JWKS cannot be read: ${error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error)}`)
  }
  return null
}

function unknownNames(environment: Environment): string[] {
  const known = new Set(Object.values(OPTIONS).flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env])))
  return Object.keys(environment)
    .filter((name) => name.startsWith('STOWAGE_') && !known.has(name))
    .sort()
    .map((name) => `${name} is not a setting${suggestion(name, known)}`)
}

function suggestion(name: string, known: ReadonlySet<string>): string {
  const tolerance = Math.min(3, Math.floor((name.length - 'STOWAGE_'.length) / 3))
  const near = [...known].find((candidate) => candidate.startsWith('STOWAGE_') && distance(candidate, name) <= tolerance)
  return near ? `; did you mean ${near}?` : ''
}

/** Levenshtein: single letters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
