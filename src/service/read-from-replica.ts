import type { RoleContext } from '../auth/role-context.ts'
import type { Config } from '../config/options.ts'
import type { Observe } from '../observe/observation.ts'
import { createPgPool, type PgPool, type PgPoolOptions } from '../pg/pool.ts'
import { type RouteReadsDeps, routeReads } from '../pg/route-reads.ts'
import type { RunForBytes, RunScoped } from '../pg/scoped-batch.ts'
import { watchReplica } from '../pg/watch-replica.ts'
import { createWritten } from '../pg/written.ts'
import { milliseconds } from '../std/brand.ts'
import type { LoginUrls } from './ensure-logins.ts'
import type { PoolSizes } from './fit-pools.ts'

/** A standby beside the primary: the same runs, of which what may lag goes there. */
export type ReplicaReads = {
  readonly web: (primary: RunScoped) => RunScoped
  readonly webForBytes: (primary: RunForBytes) => RunForBytes
  readonly service: (primary: RunScoped) => RunScoped
  readonly serviceForBytes: (primary: RunForBytes) => RunForBytes
  /** of a caller's writes that no standby has shown yet; for the header that other processes honour */
  readonly pending: (as: RoleContext) => readonly bigint[]
  readonly end: () => Promise<void>
}

const LOOK_EVERY = milliseconds(1_000)
/** Between the moment the lag was within its limit and a reading. */
const SLACK_MS = 5_000
const CALLERS = 100_000
/** A standby that cannot be reached must not hold up a reading that the primary can answer. */
const MOST_WAIT_MS = 1_000

export function readFromReplica(deps: {
  readonly config: Config
  readonly logins: LoginUrls
  readonly pools: PoolSizes
  readonly common: Omit<PgPoolOptions, 'url' | 'applicationName' | 'maxConnections' | 'maxLong' | 'maxHeld'>
  readonly primary: PgPool
  readonly sized: (connections: number) => Pick<PgPoolOptions, 'maxConnections' | 'maxLong' | 'maxHeld'>
  readonly observe: Observe
}): ReplicaReads {
  const { config, logins, pools, sized, observe } = deps
  const common = { ...deps.common, waitMs: milliseconds(Math.min(config.poolWait, MOST_WAIT_MS)) }
  const web = createPgPool({ ...common, ...sized(pools.web), url: logins.web, applicationName: 'stowage web' })
  const service = createPgPool({ ...common, ...sized(pools.service), url: logins.service, applicationName: 'stowage service' })
  const written = createWritten({ most: CALLERS, lifeMs: milliseconds(config.replicaMaxLag + SLACK_MS), now: () => performance.now() })
  const watch = watchReplica({
    primary: deps.primary.query,
    replica: service.query,
    maxLagMs: config.replicaMaxLag,
    everyMs: LOOK_EVERY,
    onChange: (why) =>
      observe({
        kind: 'note',
        level: why === null ? 'info' : 'warn',
        message: why === null ? 'the standby is read from' : 'the standby is not read from',
        details: why === null ? {} : { why },
      }),
  })
  const routed: RouteReadsDeps = { written, watch }
  return {
    web: (primary) => routeReads(primary, web.run, routed),
    webForBytes: (primary) => routeReads(primary, web.runForBytes, routed),
    service: (primary) => routeReads(primary, service.run, routed),
    serviceForBytes: (primary) => routeReads(primary, service.runForBytes, routed),
    pending: (as) => {
      const must = written.mustSee(as)
      return must === 'unknown' ? [] : must
    },
    end: async () => {
      watch.stop()
      await Promise.all([web.end(), service.end()])
    },
  }
}
