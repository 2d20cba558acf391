import { createHmac, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { ANONYMOUS, AS_SERVICE, createAuthenticate } from '../../../src/auth/authenticate.ts'
import { sessionKeys } from '../../../src/auth/session-keys.ts'
import { createUrlTokens } from '../../../src/auth/url-tokens.ts'
import type { ByteStore } from '../../../src/bytes/byte-store.ts'
import type { FsByteStoreOptions } from '../../../src/bytes/fs.ts'
import { createVersionIds } from '../../../src/bytes/version-ids.ts'
import { createApp } from '../../../src/http/app.ts'
import { registerStorageRoutes } from '../../../src/http/storage/register-storage-routes.ts'
import type { StorageRouteDeps } from '../../../src/http/storage/route-deps.ts'
import type { Observation } from '../../../src/observe/observation.ts'
import { createPgPool } from '../../../src/pg/pool.ts'
import { createBackground } from '../../../src/service/background.ts'
import { bytes, milliseconds, seconds } from '../../../src/std/brand.ts'
import type { StorageObservation } from '../../../src/storage/deps.ts'
import { createKeptBytes } from '../../../src/storage/kept-bytes.ts'
import type { StorageLimits } from '../../../src/storage/limits.ts'
import { createPrivateBuckets } from '../../../src/storage/private-buckets.ts'
import { createInFlight } from '../../../src/storage/sweep/in-flight.ts'
import { createVerifiedReads } from '../../../src/storage/verified-reads.ts'
import { storageSchema } from '../../storage/storage-database.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { openTestStore } from './test-store.ts'

export const SECRET = 'a-secret-of-the-tests-with-more-than-32-characters'

export type StorageService = {
  /** without a slash at its end */
  readonly url: string
  readonly database: FreshDatabase
  readonly bytes: ByteStore
  /** where the bytes lie */
  readonly folder: string
  readonly observed: readonly (Observation | StorageObservation)[]
  readonly deps: StorageRouteDeps
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

export type StorageServiceOptions = {
  readonly limits?: Partial<StorageLimits>
  readonly caching?: Partial<StorageRouteDeps['caching']>
  readonly statusStyle?: StorageRouteDeps['statusStyle']
  readonly jwks?: string
  readonly maxConnections?: number
  readonly corsOrigins?: readonly string[]
  readonly verifyReads?: boolean
  /** bytes of small objects that are kept in memory */
  readonly kept?: number
  readonly store?: Partial<FsByteStoreOptions>
}

/** The whole storage face on a free port: real HTTP, a database of its own, bytes in a store of its own. */
export async function startStorageService(name: string, options: StorageServiceOptions = {}): Promise<StorageService> {
  const database = await freshDatabase(name, storageSchema)
  const logins = await createLogins(database)
  const poolOf = (user: string) => {
    const url = new URL(database.url)
    url.username = user
    url.password = PASSWORD
    return createPgPool({
      url: url.href,
      applicationName: user,
      maxConnections: options.maxConnections ?? 10,
      waitMs: milliseconds(20_000),
      maxWaiting: 2_000,
      graceMs: milliseconds(5_000),
      mostPrepared: 100,
      searchPath: 'storage, public, extensions',
      statementTimeoutMs: () => 20_000,
    })
  }
  const web = poolOf(logins.web)
  const service = poolOf(logins.service)
  const { store, folder, close: closeStore } = await openTestStore(options.store)
  const observed: (Observation | StorageObservation)[] = []
  const background = createBackground((observation) => observed.push(observation))
  const now = () => new Date()
  const keys = sessionKeys(SECRET, options.jwks ?? null)
  const authenticate = createAuthenticate({ keys: () => keys, extraRoles: [], now })
  const urlTokens = createUrlTokens({ secret: SECRET, authenticate, now })
  const running = new Set<Promise<void>>()
  const deps: StorageRouteDeps = {
    storage: {
      asCaller: (batch, signal) => (batch.as.role === 'service_role' ? service : web).run(batch, signal),
      asCallerAtLength: (batch, signal) => (batch.as.role === 'service_role' ? service : web).runForBytes(batch, signal),
      asService: (batch, signal) => service.run({ ...batch, as: AS_SERVICE }, signal),
      bytes: store,
      verifyReads: options.verifyReads ?? true,
      keptBytes: createKeptBytes(bytes(options.kept ?? 2 ** 24)),
      verifiedReads: createVerifiedReads(),
      privateBuckets: createPrivateBuckets(),
      now,
      newVersion: createVersionIds(now, randomUUID),
      limits: {
        maxObjectBytes: bytes(52_428_800),
        maxPlainUploadBytes: null,
        maxObjectsToEmpty: 200_000,
        maxBulkKeys: null,
        uploadUrlLife: seconds(60),
        maxSignedUrlLife: seconds(31_536_000),
        maxUserMetadataBytes: bytes(2 ** 20),
        ...options.limits,
      },
      signUrl: urlTokens.sign,
      verifyUrl: urlTokens.verify,
      hold: createInFlight().hold,
      inBackground: (what, work) =>
        background.run(what, (signal) => {
          const ended: Promise<void> = work(signal).finally(() => running.delete(ended))
          running.add(ended)
          return ended
        }),
      observe: (observation) => observed.push(observation),
    },
    authenticate,
    anonymous: ANONYMOUS,
    statusStyle: options.statusStyle ?? 'legacy',
    caching: { sharedMaxAge: 0, etagHeaders: ['if-none-match'], ...options.caching },
    version: '0.1.0',
    isHealthy: async () => true,
  }
  const app = await createApp({
    whyNotReady: async () => [],
    corsOrigins: options.corsOrigins ?? ['*'],
    jsonLimit: bytes(2 ** 20),
    headerTimeout: milliseconds(10_000),
    idleTimeout: milliseconds(30_000),
    slowBodyGrace: milliseconds(60_000),
    minBodyRate: bytes(1024),
    maxConnections: 10_000,
    logger: pino(
      { level: 'error' },
      { write: (line) => observed.push({ kind: 'note', level: 'warn', message: 'a storage request failed', details: { line } }) },
    ),
    observe: (observation) => observed.push(observation),
    faces: ['', '/storage/v1'].map((prefix) => ({ prefix, register: (scope) => registerStorageRoutes(scope, deps) })),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    database,
    bytes: store,
    folder,
    observed,
    deps,
    settled: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
      await background.stop()
      await Promise.all([web.end(), service.end()])
      await logins.drop()
      await database.drop()
      await closeStore()
    },
  }
}

const PASSWORD = 'only-for-tests'

/** The service's two logins, under names of their own: roles belong to the server, which all test files share. */
async function createLogins({ name, connect }: FreshDatabase): Promise<{ web: string; service: string; drop: () => Promise<void> }> {
  const [web, service] = [`${name}_web`, `${name}_service`]
  const owner = await connect()
  await owner.query(`create role "${web}" login noinherit password '${PASSWORD}' in role anon, authenticated`)
  await owner.query(`create role "${service}" login noinherit password '${PASSWORD}' in role service_role`)
  return {
    web,
    service,
    drop: async () => {
      await owner.query(`drop role "${web}", "${service}"`)
    },
  }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A session token with these claims, good for an hour. */
export function token(claims: object, secret = SECRET): string {
  const now = Math.floor(Date.now() / 1000)
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat: now, exp: now + 3600, ...claims })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

export const SERVICE_KEY = token({ role: 'service_role' })
export const ANON_KEY = token({ role: 'anon' })
