import { drain } from '../http/drain.ts'
import { milliseconds } from '../std/brand.ts'
import { createClosers } from './closers.ts'
import { listen } from './listen.ts'
import type { Reading } from './lookout.ts'
import { type Ground, type GroundDeps, openGround } from './open-ground.ts'
import type { Secrets } from './secrets.ts'
import { serveMetrics } from './serve-metrics.ts'

export type RunningService = {
  readonly baseUrl: string
  /** where Prometheus reads; null: nowhere */
  readonly metricsUrl: string | null
  /** the owner's connection string */
  readonly databaseUrl: string
  readonly secrets: Secrets
  /** finishes running requests within the limit, then lets go of everything; a second call waits for the first */
  readonly stop: () => Promise<void>
}

/** Of one process. */
export type RunningProcess = RunningService & {
  /** null: nobody asked for metrics */
  readonly reading: Reading | null
}

export type ServiceOptions = GroundDeps & {
  /** of the process that started this one among others; it then opens nothing but its pools, and whoever started it tells its numbers */
  readonly ground?: Ground
  /** the one that all of them listen on, where the settings leave it open */
  readonly port?: number
}

/** What answers requests is the larger part of the program: it is loaded while the database starts. Whoever needs it hears of a failure. */
const load = (): void => void import('./compose.ts').catch(() => undefined)

/** Nobody waits for a worker that is replaced, so it can answer on its connections for a while. */
const WORKER_LINGER_MS = 2_000

/**
 * Starts a service: folder, lock, secrets, database, then the HTTP server. When it resolves, requests are answered.
 * What was started is stopped in reverse order, also when a later step fails.
 *
 * @throws StartupError
 */
export async function startService(options: ServiceOptions): Promise<RunningProcess> {
  const {
    loaded: { config, keySet },
    log,
  } = options
  const { add, closeAll } = createClosers()
  try {
    let baseUrl: string | null = null
    let stopping = false
    const ground = options.ground ?? (await openGround(options, () => ({ pid: process.pid, baseUrl, stopping }), add, load))
    const { folder, secrets, access } = ground

    const { compose } = await import('./compose.ts')
    const composed = await compose({ config, dataFolder: folder, jwtSecret: secrets.jwtSecret, keySet, access, log })
    add(composed.end)
    // the numbers are there until the last request has ended
    const { reading } = composed
    const metricsUrl = reading && !options.ground ? await serveMetrics({ config, log, read: reading.now }, add) : null
    const lingerMs = options.ground ? milliseconds(Math.max(WORKER_LINGER_MS, config.lingerTime)) : config.lingerTime
    add(() => drain(composed.app, { lingerMs, limitMs: config.drainLimit }))
    baseUrl = await listen(composed.app, config.host, options.port ?? config.port)
    composed.begin()
    add(async () => composed.withdraw())

    let stopped: Promise<void> | undefined
    const stop = () => {
      stopping = true
      stopped ??= closeAll()
      return stopped
    }
    return { baseUrl, metricsUrl, databaseUrl: ground.databaseUrl, secrets, reading, stop }
  } catch (error) {
    await closeAll()
    throw error
  }
}
