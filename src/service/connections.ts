import { ANON, AS_SERVICE, SERVICE_ROLE } from '../auth/authenticate.ts'
import type { RoleContext } from '../auth/role-context.ts'
import type { Config } from '../config/options.ts'
import type { Observe } from '../observe/observation.ts'
import { createPgPool, type PgPool, type PgPoolOptions } from '../pg/pool.ts'
import type { RunForBytes, RunScoped, ScopedBatch } from '../pg/scoped-batch.ts'
import { type Milliseconds, milliseconds } from '../std/brand.ts'
import type { DatabaseAccess } from './open-database.ts'
import { readFromReplica } from './read-from-replica.ts'

/** The two pools behind one door: which login a batch runs on follows from its role, and never from anything a caller sends. */
export type Connections = {
  readonly asCaller: RunScoped
  /** the same for questions of any length: many of them leave a part of each pool to others */
  readonly asCallerAtLength: RunForBytes
  readonly asService: (batch: Omit<ScopedBatch, 'as'>, signal: AbortSignal) => ReturnType<RunScoped>
  /** a caller's transactions that a standby has not shown yet; undefined: there is no standby */
  readonly pendingWrites: ((as: RoleContext) => readonly bigint[]) | undefined
  /** as the service's login itself */
  readonly query: PgPool['query']
  /** `most`: connections that the login's pool may open */
  readonly stats: () => Readonly<Record<'web' | 'service', ReturnType<PgPool['stats']> & { readonly most: number }>>
  /** whether the database answers within `limitMs` */
  readonly isAlive: (limitMs: Milliseconds) => Promise<boolean>
  readonly end: () => Promise<void>
}

/** What functions and policies written for Supabase Storage expect to find. */
const SEARCH_PATH = 'storage, public, extensions'
/** Beyond a role's own limit, before a silent connection is given up. */
const GRACE = milliseconds(5_000)
/** Of a pool's connections, for what may take long. */
const LONG_SHARE = 0.75
/** For that and for changes together, which may wait for a lock or the disk: what only looks up, as every reading of a public object does, finds one that is left. */
const HELD_SHARE = 0.9

export function openConnections(config: Config, access: DatabaseAccess, observe: Observe): Connections {
  const common = {
    searchPath: SEARCH_PATH,
    statementTimeoutMs: (role: string) => timeoutOf(config, role),
    waitMs: config.poolWait,
    maxWaiting: config.poolQueue,
    graceMs: GRACE,
    lockWaitMs: config.lockWait,
    mostPrepared: access.keepsNames ? config.statementsKept : 0,
    settingsByRole: access.settingsByRole,
    onIdleError: (error: Error) =>
      observe({ kind: 'note', level: 'warn', message: 'a database connection was lost', details: { reason: error.message } }),
  } satisfies Partial<PgPoolOptions>
  const shareOf = (connections: number, share: number) => Math.max(1, Math.floor(connections * share))
  const sized = (maxConnections: number) => ({
    maxConnections,
    maxLong: shareOf(maxConnections, LONG_SHARE),
    maxHeld: shareOf(maxConnections, HELD_SHARE),
  })
  const web = createPgPool({ ...common, ...sized(access.pools.web), url: access.web, applicationName: 'stowage web' })
  const service = createPgPool({ ...common, ...sized(access.pools.service), url: access.service, applicationName: 'stowage service' })
  // a connection of its own: that all others are busy is no reason to be taken for dead
  const health = createPgPool({
    ...common,
    url: access.service,
    applicationName: 'stowage health',
    maxConnections: 1,
    onIdleError: () => undefined,
  })
  const replica =
    access.replica && readFromReplica({ config, logins: access.replica, pools: access.pools, common, sized, primary: service, observe })
  const webRun = replica?.web(web.run) ?? web.run
  const webRunAtLength = replica?.webForBytes(web.runForBytes) ?? web.runForBytes
  const serviceRun = replica?.service(service.run) ?? service.run
  const serviceRunAtLength = replica?.serviceForBytes(service.runForBytes) ?? service.runForBytes
  return {
    asCaller: (batch, signal) => (batch.as.role === SERVICE_ROLE ? serviceRun : webRun)(batch, signal),
    asCallerAtLength: (batch, signal) => (batch.as.role === SERVICE_ROLE ? serviceRunAtLength : webRunAtLength)(batch, signal),
    asService: (batch, signal) => (batch.behalf ? serviceRun : service.run)({ ...batch, as: AS_SERVICE }, signal),
    pendingWrites: replica?.pending,
    query: service.query,
    isAlive: (limitMs) => answersWithin(health, limitMs),
    stats: () => ({
      web: { ...web.stats(), most: access.pools.web },
      service: { ...service.stats(), most: access.pools.service },
    }),
    end: async () => {
      await replica?.end()
      await Promise.all([web.end(), service.end(), health.end()])
    },
  }
}

function timeoutOf(config: Config, role: string): number {
  if (role === SERVICE_ROLE) return config.serviceTimeout
  return role === ANON ? config.anonTimeout : config.authenticatedTimeout
}

async function answersWithin(pool: PgPool, limitMs: Milliseconds): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs)
  })
  const answered = pool.query({ text: '/* health.ask */ select 1', values: [] }, limitMs).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([answered, late])
  } finally {
    clearTimeout(timer)
  }
}
