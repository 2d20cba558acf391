import type { Config } from '../config/options.ts'
import { traceHeaders } from '../config/trace-headers.ts'
import type { Log } from '../observe/log.ts'
import type { Measurements } from '../observe/measurements.ts'
import { createMetrics } from '../observe/metrics.ts'
import type { Observe } from '../observe/observation.ts'
import { createWatch, type RequestWatch, type Traces } from '../observe/watch.ts'
import { milliseconds } from '../std/brand.ts'
import { backlog, countBacklog } from '../storage/rows/backlog.sql.ts'
import type { Connections } from './connections.ts'
import { packageVersion } from './package-root.ts'
import { createGauges } from './read-gauges.ts'
import { UNWATCHED, type Watching, watchWork } from './watch-work.ts'

/** Who looks at the service: the log always, and what the settings add. */
export type Lookout = {
  readonly observe: Observe
  readonly watching: Watching
  /** null: nobody wants to know which request a stage belongs to */
  readonly requests: RequestWatch | null
  /** null: nobody counts */
  readonly metrics: { readonly read: (connections: Connections, isReady: () => Promise<boolean>) => Reading } | null
  readonly end: () => Promise<void>
}

/** The numbers of this process. */
export type Reading = {
  /** with those that change, which are read for it */
  readonly now: () => Promise<Measurements>
  /** what was counted, also when everything else is gone */
  readonly counted: () => Measurements
}

const BACKLOG_LIFE = milliseconds(5_000)
const BACKLOG_LIMIT = milliseconds(2_000)
const SEND_TRACES_EVERY = milliseconds(2_000)

/** What is not asked for is not loaded, not counted and in nobody's way. */
export async function openLookout(config: Config, log: Log): Promise<Lookout> {
  const traces = await openTraces(config, log.observe)
  const isCounting = config.metricsPort !== null
  const metrics = isCounting ? createMetrics() : null
  let endGauges: () => void = () => undefined
  const observe: Observe = metrics
    ? (observation) => {
        log.observe(observation)
        metrics.observe(observation)
      }
    : log.observe
  const watch = isCounting || traces || config.serverTiming ? createWatch({ observe, traces, perRequest: config.serverTiming }) : null
  return {
    observe,
    watching: watch ? watchWork(watch, observe) : UNWATCHED,
    requests: watch?.requests ?? null,
    metrics: metrics && {
      read: (connections, isReady) => {
        const reading = createGauges({
          connections,
          backlog: async (signal) => {
            const statements = [countBacklog()]
            const [rows] = await connections.asService({ access: 'read only', end: 'commit', settings: [], statements }, signal)
            return backlog(rows?.[0])
          },
          isReady,
          version: packageVersion(),
          backlogLife: BACKLOG_LIFE,
          backlogLimit: BACKLOG_LIMIT,
        })
        endGauges = reading.end
        return { now: async () => metrics.measure(await reading.read()), counted: () => metrics.measure({}) }
      },
    },
    end: async () => {
      endGauges()
      await traces?.end()
    },
  }
}

async function openTraces(config: Config, observe: Observe): Promise<Traces | null> {
  if (config.traceEndpoint === null) return null
  const { createTraces } = await import('../observe/traces.ts')
  return createTraces({
    endpoint: config.traceEndpoint,
    headers: traceHeaders(config.traceHeaders ?? '') ?? {},
    serviceName: config.traceServiceName,
    version: packageVersion(),
    share: config.traceShare,
    sendEvery: SEND_TRACES_EVERY,
    onLost: (reason, spans) => observe({ kind: 'note', level: 'warn', message: 'traces could not be sent', details: { reason, spans } }),
  })
}
