import type { Config } from '../config/options.ts'
import type { Log } from '../observe/log.ts'
import { type Measurements, measurementsText } from '../observe/measurements.ts'
import { listen, METRICS_ADDRESS } from './listen.ts'

export type MetricsDeps = {
  readonly config: Config
  readonly log: Log
  readonly read: () => Promise<Measurements>
}

/** Opens the listener of the metrics; answers where they are read. @throws StartupError */
export async function serveMetrics({ config, log, read }: MetricsDeps, opened: (close: () => Promise<void>) => void): Promise<string> {
  const { createMetricsApp } = await import('../http/admin/metrics-app.ts')
  const app = createMetricsApp({ text: async () => measurementsText(await read()), token: config.metricsToken, logger: log.logger })
  opened(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  return `${await listen(app, config.metricsHost, config.metricsPort ?? 0, METRICS_ADDRESS)}/metrics`
}
