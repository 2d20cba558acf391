import cluster from 'node:cluster'
import { Command, Option } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import { StartupError } from '../config/startup-error.ts'
import { createLog } from '../observe/log.ts'
import { compileSooner } from '../service/compile-sooner.ts'
import { untilParentEnds, untilToldToStop } from '../service/lifecycle.ts'
import { runWorker } from '../service/run-worker.ts'
import { type RunningCluster, startCluster } from '../service/start-cluster.ts'
import { type RunningService, startService } from '../service/start-service.ts'
import { complain, print, say, table } from './terminal.ts'

export const serveCommand = (): Command =>
  new Command('serve')
    .description('start the service (the default)')
    // what is no command lands here, since this one is the default
    .allowExcessArguments()
    .addOption(new Option('--with-parent', 'stop when the process that started it ends').hideHelp())
    .action(async ({ withParent = false }: { withParent?: boolean }, { args: [unknown] }: Command) => {
      if (unknown !== undefined) throw new StartupError(`There is no command ${JSON.stringify(unknown)}: stowage --help shows all.`)
      await serve(withParent)
    })

async function serve(withParent: boolean): Promise<void> {
  const loaded = loadConfig()
  if (cluster.isPrimary) for (const warning of loaded.warnings) say(`warning: ${warning}`)
  const log = createLog(loaded.config.logLevel)
  const leave = (code: number): never => {
    log.flush()
    process.exit(code)
  }
  const { workers } = loaded.config
  process.on('uncaughtException', (error) => {
    log.observe({ kind: 'failure', message: 'a fault that nobody caught', error })
    leave(1)
  })

  if (cluster.isWorker) {
    await runWorker(loaded, log)
    return leave(Number(process.exitCode ?? 0))
  }

  const toldToStop: Promise<string> = withParent
    ? Promise.race([untilToldToStop(), untilParentEnds().then(() => 'orphaned')])
    : untilToldToStop()
  let lost: (error: Error) => void = () => undefined
  const isLost = new Promise<Error>((resolve) => {
    lost = resolve
  })
  const deps = { loaded, log, onLine: say, onLost: (error: Error) => lost(error) }
  const starting: Promise<RunningService & Partial<RunningCluster>> = workers === 1 ? startService(deps) : startCluster(deps)
  const service = await Promise.race([starting, toldToStop])
  // told so while starting: what is half made is put right by the next start
  if (typeof service === 'string') return leave(0)

  print(greeting(service))
  compileSooner()
  // a single process has nobody to take its place, and goes on
  process.on('SIGUSR2', () => void service.replaceAll?.())
  const why = await Promise.race([toldToStop, isLost])
  if (typeof why !== 'string') complain(why)
  else say('stopping')
  await service.stop()
  leave(typeof why === 'string' ? 0 : 1)
}

function greeting({ baseUrl, metricsUrl, secrets }: RunningService): string {
  const storage = `Storage     ${baseUrl}   (also ${baseUrl}/storage/v1)`
  const graphql = `GraphQL     ${baseUrl}/graphql/v1${metricsUrl === null ? '' : `\nMetrics     ${metricsUrl}`}`
  if (!secrets.fresh) return `\nStowage is ready at ${baseUrl} (the command "keys" shows the API keys)\n\n${storage}\n${graphql}\n`
  const keys = table([
    ['Anon key', secrets.anonKey],
    ['Service key', secrets.serviceKey],
  ])
  return `
Stowage is ready at ${baseUrl}

${storage}
${graphql}
${keys}

The anon key is for browsers: row level security decides what it may do. The service key may do everything: keep it secret.
Make a first bucket:

curl -X POST ${baseUrl}/bucket -H 'Authorization: Bearer ${secrets.serviceKey}' -H 'Content-Type: application/json' -d '{"name":"photos","public":true}'
`
}
