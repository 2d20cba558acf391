import { type Bytes, bytes, type Milliseconds, milliseconds } from '../std/brand.ts'
import { duration, flag, integer, list, oneOf, type SettingType, share, size, text } from './setting-types.ts'

export type Option<T> = {
  /** the environment variable */
  readonly env: string
  readonly type: SettingType<T>
  readonly fallback: T
  /** for the manual: what it does and when to change it */
  readonly sentence: string
  /** `<env>_FILE` may name a file that holds it, and its value is never shown */
  readonly secret: boolean
}

const option = <T>(env: string, type: SettingType<T>, fallback: NoInfer<T>, sentence: string): Option<T> => ({
  env,
  type,
  fallback,
  sentence,
  secret: false,
})

/** Absent unless set. */
const optional = <T>(env: string, type: SettingType<T>, sentence: string): Option<T | null> => ({
  env,
  type,
  fallback: null,
  sentence,
  secret: false,
})

const secret = (env: string, sentence: string): Option<string | null> => ({ ...optional(env, text, sentence), secret: true })

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MIB = 2 ** 20
const GIB = 2 ** 30

/** Every setting there is. The type of the configuration, its reader, the manual's page and `check-config` come from this table. */
export const OPTIONS = {
  host: option('HOST', text, '127.0.0.1', 'Address to listen on. `0.0.0.0` opens the service to the network.'),
  port: option('PORT', integer(0, 65_535), 8000, 'Port to listen on; 0 takes a free one.'),
  workers: option(
    'STOWAGE_WORKERS',
    integer(1, 256),
    1,
    'Processes that serve, on one port. Another watches over them: it starts again what ends, and on SIGUSR2 replaces one after the other.',
  ),
  dataFolder: option('STOWAGE_DATA', text, './.stowage', 'Folder for secrets, stored files and the built-in PostgreSQL. Made when absent.'),
  databaseUrl: secret(
    'DATABASE_URL',
    'PostgreSQL 15 to 18 to use instead of the built-in one, as `postgresql://user:password@host:5432/database`; with `?sslmode=` and its relatives as libpq knows them.',
  ),
  replicaUrl: secret(
    'DATABASE_REPLICA_URL',
    'A standby of `DATABASE_URL`, to read from: GraphQL queries and listings. Whoever has written reads their own writes; others may be behind by `STOWAGE_REPLICA_MAX_LAG`.',
  ),
  replicaMaxLag: option(
    'STOWAGE_REPLICA_MAX_LAG',
    duration(SECOND, HOUR),
    milliseconds(10 * SECOND),
    'How far the standby may be behind before everything is read from the primary.',
  ),
  embeddedPort: optional(
    'STOWAGE_POSTGRES_PORT',
    integer(1, 65_535),
    'Port of the built-in PostgreSQL on 127.0.0.1. Without it: the one of the last start, or a free one from 5433 on.',
  ),

  jwtSecret: secret(
    'JWT_SECRET',
    'Secret of HS256 tokens, at least 32 bytes. Without it one is made on first start and kept in the data folder. All processes on one database must share it.',
  ),
  jwks: optional(
    'STOWAGE_JWKS',
    text,
    'Key set for tokens of another issuer (RS256, ES256, EdDSA and relatives): JSON, or the path of a file with it. A file is read again when it changes.',
  ),
  extraRoles: option(
    'STOWAGE_ROLES',
    list,
    [],
    'Database roles a token may name beside anon, authenticated and service_role. Grant them to the login `stowage_web`.',
  ),

  store: option(
    'STOWAGE_STORE',
    oneOf('fs', 's3'),
    'fs',
    'Where the bytes of objects are: `fs`, below the data folder; `s3`, in a bucket of an S3-compatible store.',
  ),
  storeAlso: optional(
    'STOWAGE_STORE_ALSO',
    oneOf('fs', 's3'),
    'While bytes move from one store to the other: where those are looked for that `STOWAGE_STORE` does not have ([moving](moving.md)).',
  ),
  s3Bucket: optional('STOWAGE_S3_BUCKET', text, 'Bucket of the store; it must be there.'),
  s3Endpoint: optional('STOWAGE_S3_ENDPOINT', text, 'Address of a store that is not AWS, like `https://s3.example.com`.'),
  s3Region: optional(
    'STOWAGE_S3_REGION',
    text,
    'Region of the bucket. Without it: that of the AWS SDK (`AWS_REGION`, profile), and us-east-1 where `STOWAGE_S3_ENDPOINT` is set.',
  ),
  s3PathStyle: option(
    'STOWAGE_S3_PATH_STYLE',
    flag,
    false,
    "The bucket's name in the path and not in the host name, as most stores want it that are not AWS.",
  ),
  s3Prefix: optional('STOWAGE_S3_PREFIX', text, 'Folder of the bucket that holds the bytes, where it holds other things too.'),
  s3CallLimit: option(
    'STOWAGE_S3_CALL_LIMIT',
    duration(SECOND, HOUR),
    milliseconds(30 * SECOND),
    'How long one call to the store may take, with its tries, and how long it may leave a reader without a byte.',
  ),
  s3ObjectLimit: option(
    'STOWAGE_S3_OBJECT_LIMIT',
    duration(SECOND, DAY),
    milliseconds(10 * MINUTE),
    'How long the store may take for what it does alone with a whole object: putting its parts together, copying it.',
  ),

  graphqlSchemas: option('STOWAGE_GRAPHQL_SCHEMAS', list, ['public'], 'Schemas that the GraphQL API shows, in the order of a search path.'),
  uploadLimit: option('STOWAGE_UPLOAD_LIMIT', size(1, 2 ** 43), bytes(5 * GIB), 'Largest object; a bucket may set less.'),
  smallObjectCache: option(
    'STOWAGE_SMALL_OBJECT_CACHE',
    size(0, GIB),
    bytes(16 * MIB),
    'Memory for the bytes of small objects that were read lately; 0 keeps none. Who may read them is asked every time.',
  ),
  jsonLimit: option('STOWAGE_JSON_LIMIT', size(1024, 64 * MIB), bytes(MIB), 'Largest JSON body of a request.'),
  storageStatus: option(
    'STOWAGE_STORAGE_STATUS',
    oneOf('legacy', 'real'),
    'legacy',
    'Status of storage errors: `legacy` answers 400 with the real status in the body, as Supabase Storage does and its clients expect; `real` answers the real one.',
  ),
  uploadUrlLifetime: option(
    'STOWAGE_UPLOAD_URL_LIFETIME',
    duration(SECOND, 365 * DAY),
    milliseconds(2 * HOUR),
    'How long a signed upload URL works.',
  ),
  maxSignedUrlLifetime: option(
    'STOWAGE_SIGNED_URL_MAX_LIFETIME',
    duration(SECOND, 3650 * DAY),
    milliseconds(365 * DAY),
    'Longest life that a signed download URL may be given.',
  ),
  corsOrigins: option(
    'STOWAGE_CORS_ORIGINS',
    list,
    ['*'],
    'Web origins that may call the service from a browser, or `*` for all. Cookies are never allowed.',
  ),

  anonTimeout: option(
    'STOWAGE_ANON_TIMEOUT',
    duration(0, HOUR),
    milliseconds(3 * SECOND),
    'Longest run of one statement for the role anon; 0 for no limit.',
  ),
  authenticatedTimeout: option(
    'STOWAGE_AUTHENTICATED_TIMEOUT',
    duration(0, HOUR),
    milliseconds(8 * SECOND),
    'The same for authenticated and the roles of `STOWAGE_ROLES`.',
  ),
  serviceTimeout: option('STOWAGE_SERVICE_TIMEOUT', duration(0, HOUR), milliseconds(60 * SECOND), 'The same for service_role.'),
  lockWait: option(
    'STOWAGE_LOCK_WAIT',
    duration(0, HOUR),
    milliseconds(5 * SECOND),
    "How long a statement of any role waits for somebody else's lock in the database; 0 for as long as it may run.",
  ),
  webConnections: option('STOWAGE_WEB_CONNECTIONS', integer(1, 1_000), 20, 'Database connections for callers, of each process.'),
  serviceConnections: option(
    'STOWAGE_SERVICE_CONNECTIONS',
    integer(1, 1_000),
    10,
    'Database connections for service_role and for our own work, of each process.',
  ),
  poolWait: option(
    'STOWAGE_POOL_WAIT',
    duration(10, 5 * MINUTE),
    milliseconds(3 * SECOND),
    'How long a request waits for a database connection before it is turned away.',
  ),
  poolQueue: option('STOWAGE_POOL_QUEUE', integer(0, 100_000), 2_000, 'Requests that may wait for a database connection at once.'),
  preparedStatements: option(
    'STOWAGE_PREPARED_STATEMENTS',
    flag,
    true,
    'Whether statements are prepared under names. A pooler that does not keep them is noticed at the start; off, they are not even tried.',
  ),
  statementsKept: option(
    'STOWAGE_STATEMENTS_KEPT',
    integer(1, 100_000),
    2_000,
    'Prepared statements that each database connection keeps, for all roles together. One takes 10 to 80 KB of the database server. Raise it where more different GraphQL documents than this are in steady use.',
  ),
  plansKept: option(
    'STOWAGE_PLANS_KEPT',
    integer(1, 1_000_000),
    2_000,
    'GraphQL documents whose plan is kept in memory for each role, or for all roles that may do the same, about 10 KB each.',
  ),

  verifyReads: option(
    'STOWAGE_VERIFY_READS',
    flag,
    true,
    'Compares bytes with their checksum when an object is read whole. Off where the disk or its file system does that already (ZFS, Btrfs).',
  ),
  diskWait: option(
    'STOWAGE_DISK_WAIT',
    duration(100, HOUR),
    milliseconds(2 * MINUTE),
    'How long a request waits for one answer of the disk (a write, a flush, a read) before it is turned away.',
  ),

  sweepGrace: option(
    'STOWAGE_SWEEP_GRACE',
    duration(SECOND, 30 * DAY),
    milliseconds(HOUR),
    'How long stored bytes that no object points at are left alone before they are removed.',
  ),
  sweepInterval: option(
    'STOWAGE_SWEEP_INTERVAL',
    duration(100, DAY),
    milliseconds(30 * SECOND),
    'How often the sweeper looks for bytes to remove.',
  ),
  drainLimit: option(
    'STOWAGE_DRAIN_LIMIT',
    duration(0, HOUR),
    milliseconds(30 * SECOND),
    'How long a stopping service waits for running requests.',
  ),
  lingerTime: option(
    'STOWAGE_LINGER',
    duration(0, HOUR),
    milliseconds(0),
    'How long a stopping service still answers on idle connections before it closes them; a second or two behind a balancer, for clients that are about to ask.',
  ),
  headerTimeout: option(
    'STOWAGE_HEADER_TIMEOUT',
    duration(SECOND, 10 * MINUTE),
    milliseconds(10 * SECOND),
    "How long a client may take to send a request's headers.",
  ),
  idleTimeout: option(
    'STOWAGE_IDLE_TIMEOUT',
    duration(SECOND, HOUR),
    milliseconds(75 * SECOND),
    'How long a connection may stand still in the middle of a request or a response.',
  ),
  slowBodyGrace: option(
    'STOWAGE_SLOW_BODY_GRACE',
    duration(SECOND, HOUR),
    milliseconds(60 * SECOND),
    "How long a request's body may come at any pace, however slow.",
  ),
  minBodyRate: option(
    'STOWAGE_MIN_BODY_RATE',
    size(0, MIB),
    bytes(1024),
    'Bytes a second that a body must bring on average after that time; 0 for no limit.',
  ),
  maxConnections: option('STOWAGE_MAX_CONNECTIONS', integer(1, 1_000_000), 10_000, 'Client connections at once.'),
  callerRate: option(
    'STOWAGE_CALLER_RATE',
    integer(0, 1_000_000),
    0,
    "Requests a second that one signed-in user may send on average, in bursts of five seconds' worth; 0 for no limit. More are answered 429.",
  ),
  addressRate: option(
    'STOWAGE_ADDRESS_RATE',
    integer(0, 1_000_000),
    0,
    'The same for one client address (of IPv6 one /64). Behind a proxy all requests come from its address: let it do this.',
  ),
  logLevel: option(
    'STOWAGE_LOG_LEVEL',
    oneOf('silent', 'error', 'warn', 'info', 'debug'),
    'info',
    'How much is logged; `info` is one line a request.',
  ),
  metricsPort: optional(
    'STOWAGE_METRICS_PORT',
    integer(0, 65_535),
    'Port of a second listener with `/metrics` for Prometheus, of all workers together; 0 takes a free one. Without it nothing is counted and nothing listens.',
  ),
  metricsHost: option('STOWAGE_METRICS_HOST', text, '127.0.0.1', 'Address of that listener.'),
  metricsToken: secret(
    'STOWAGE_METRICS_TOKEN',
    'Bearer token that whoever reads the metrics must send. Set it where `STOWAGE_METRICS_HOST` is open to others.',
  ),
  serverTiming: option(
    'STOWAGE_SERVER_TIMING',
    flag,
    false,
    'On: answers tell in the header Server-Timing how long their stages took. Everybody can read that, so it is for finding out, not for always.',
  ),
  traceEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    text,
    'Where traces are sent, by OTLP over HTTP, like `http://127.0.0.1:4318`. Without it there are none.',
  ),
  traceHeaders: secret('OTEL_EXPORTER_OTLP_HEADERS', 'Headers for the collector, as `name=value` between commas, values percent-encoded.'),
  traceServiceName: option('OTEL_SERVICE_NAME', text, 'stowage', 'The name of the service in traces.'),
  traceShare: option(
    'OTEL_TRACES_SAMPLER_ARG',
    share,
    1,
    'Share of the requests that are traced, from 0 to 1; a `traceparent` with a decision of its own is followed.',
  ),
} as const satisfies Readonly<Record<string, Option<unknown>>>

type ValueOf<O> = O extends Option<infer T> ? T : never

export type Config = { readonly [Name in keyof typeof OPTIONS]: ValueOf<(typeof OPTIONS)[Name]> }
export type OptionValue = string | number | boolean | null | readonly string[] | Bytes | Milliseconds
