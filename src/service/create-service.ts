import { type Environment, loadConfig } from '../config/load-config.ts'
import { StartupError } from '../config/startup-error.ts'
import { createLog } from '../observe/log.ts'
import { startService } from './start-service.ts'

export type Service = {
  /** where it answers, like `http://127.0.0.1:8000` */
  readonly baseUrl: string
  /** where Prometheus reads; null without STOWAGE_METRICS_PORT */
  readonly metricsUrl: string | null
  /** connection string of the database's owner */
  readonly databaseUrl: string
  readonly anonKey: string
  readonly serviceKey: string
  readonly jwtSecret: string
  /** finishes running requests, then lets go of everything */
  readonly stop: () => Promise<void>
}

/**
 * The whole service inside another program, with the settings of docs/configuration.md; the program's own environment is not looked at.
 * @throws Error whose message says what is wrong with the settings or with what they name
 */
export async function createService(settings: Environment): Promise<Service> {
  const loaded = loadConfig(settings)
  if (loaded.config.workers > 1)
    throw new StartupError('STOWAGE_WORKERS is for the command "serve": a program that holds a service is one process.')
  const log = createLog(loaded.config.logLevel)
  const note = (step: string) => log.observe({ kind: 'note', level: 'debug', message: 'a step of the start', details: { step } })
  const { baseUrl, metricsUrl, databaseUrl, secrets, stop } = await startService({
    loaded,
    log,
    onLine: note,
    onLost: (error) => log.observe({ kind: 'failure', message: 'the service cannot go on', error }),
  })
  const { anonKey, serviceKey, jwtSecret } = secrets
  return { baseUrl, metricsUrl, databaseUrl, anonKey, serviceKey, jwtSecret, stop }
}
