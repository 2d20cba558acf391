import type { Config } from '../config/options.ts'
import type { App } from '../http/app.ts'
import { drain } from '../http/drain.ts'
import { milliseconds } from '../std/brand.ts'
import { listen, METRICS_ADDRESS } from './listen.ts'
import { type Ground, type GroundDeps, openGround } from './open-ground.ts'
import type { Secrets } from './secrets.ts'

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

export type ServiceOptions = GroundDeps & {
  /** of the process that started this one among others; it then opens nothing but its pools */
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
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const {
    loaded: { config },
    log,
  } = options
  const closers: (() => Promise<void>)[] = []
  const closeAll = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close()
  }
  try {
    let baseUrl: string | null = null
    let stopping = false
    const ground =
      options.ground ??
      (await openGround(
        options,
        () => ({ pid: process.pid, baseUrl, stopping }),
        (close) => closers.push(close),
        load,
      ))
    const { folder, secrets, access } = ground

    const { compose } = await import('./compose.ts')
    const composed = await compose({ config, dataFolder: folder, jwtSecret: secrets.jwtSecret, access, log })
    closers.push(composed.end)
    const lingerMs = options.ground ? milliseconds(Math.max(WORKER_LINGER_MS, config.lingerTime)) : config.lingerTime
    closers.push(() => drain(composed.app, { lingerMs, limitMs: config.drainLimit }))
    baseUrl = await listen(composed.app, config.host, options.port ?? config.port)
    const { metricsApp } = composed
    const metricsUrl = metricsApp && (await listenForMetrics(metricsApp, config, (close) => closers.push(close)))
    composed.begin()
    closers.push(async () => composed.withdraw())

    let stopped: Promise<void> | undefined
    const stop = () => {
      stopping = true
      stopped ??= closeAll()
      return stopped
    }
    return { baseUrl, metricsUrl, databaseUrl: ground.databaseUrl, secrets, stop }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** The numbers are there until the last request has ended. */
async function listenForMetrics(app: App, config: Config, onStop: (close: () => Promise<void>) => void): Promise<string> {
  onStop(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  return `${await listen(app, config.metricsHost, config.metricsPort ?? 0, METRICS_ADDRESS)}/metrics`
}
