import type { LoadedConfig } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import type { StartupError } from '../config/startup-error.ts'
import type { App } from '../http/app.ts'
import type { Log } from '../observe/log.ts'
import { compose } from './compose.ts'
import { concernAbout, openDataFolder } from './data-folder.ts'
import { lockFolder } from './folder-lock.ts'
import { checkAddress, listen } from './listen.ts'
import { auditedDatabase, foreignDatabase, openDatabase } from './open-database.ts'
import { openOwnDatabase } from './own-database.ts'
import { openSecrets, type Secrets } from './secrets.ts'

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

export type ServiceOptions = {
  readonly loaded: LoadedConfig
  readonly log: Log
  /** told what is being done, for a person who waits */
  readonly onLine: (line: string) => void
  /** the service cannot go on; whoever started it should stop it and leave */
  readonly onLost: (error: StartupError) => void
}

const METRICS_ADDRESS = { host: 'STOWAGE_METRICS_HOST', port: 'STOWAGE_METRICS_PORT' }

/** What a stopping service needs beside its running requests. */
const STOP_GRACE_MS = 30_000

/**
 * Starts a service: folder, lock, secrets, database, then the HTTP server. When it resolves, requests are answered.
 * What was started is stopped in reverse order, also when a later step fails.
 *
 * @throws StartupError
 */
export async function startService({ loaded, log, onLine, onLost }: ServiceOptions): Promise<RunningService> {
  const { config } = loaded
  const closers: (() => Promise<void>)[] = []
  const closeAll = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close()
  }
  try {
    const folder = await openDataFolder(config.dataFolder)
    let baseUrl: string | null = null
    let stopping = false
    const lock = await lockFolder(folder, () => ({ pid: process.pid, baseUrl, stopping }), config.drainLimit + STOP_GRACE_MS)
    closers.push(lock.release)
    const concern = await concernAbout(folder)
    if (concern) onLine(`warning: ${concern}`)
    await checkAddress(config.host, config.port)
    if (config.metricsPort !== null) await checkAddress(config.metricsHost, config.metricsPort, METRICS_ADDRESS)
    const secrets = await openSecrets(folder, config.jwtSecret)

    onLine('starting the database')
    const database =
      config.databaseUrl === null
        ? await openOwnDatabase({ config, dataFolder: folder, observe: log.observe, onLine, onLost })
        : { ...foreignDatabase(config.databaseUrl), stop: async () => undefined }
    closers.push(database.stop)
    const logins = await openDatabase(database, secrets.jwtSecret, onLine)
    await auditedDatabase(database, config.extraRoles, onLine)

    const composed = await compose({ config, dataFolder: folder, jwtSecret: secrets.jwtSecret, logins, log })
    closers.push(composed.end)
    closers.push(() => closeServer(composed.app, config.drainLimit))
    baseUrl = await listen(composed.app, config.host, config.port)
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
    return { baseUrl, metricsUrl, databaseUrl: database.ownerUrl, secrets, stop }
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

/** No new connections, idle ones closed, running requests finished; what is left after the limit is cut off. */
async function closeServer(app: App, limitMs: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), limitMs)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
  }
}
