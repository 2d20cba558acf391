import { join } from 'node:path'
import type { Config } from '../config/options.ts'
import { reasonOf, StartupError } from '../config/startup-error.ts'
import type { Observe } from '../observe/observation.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import type { Database } from './open-database.ts'
import { PACKAGE_ROOT } from './package-root.ts'

export type OwnDatabase = Database & { readonly stop: () => Promise<void> }

const MOST_RESTARTS = 5
const RESTART_WINDOW_MS = 5 * 60_000
/** Characters of a line of the server's log: statements and messages of callers are in it. */
const MAX_LINE = 2_000
/** Lines of the server's log that are no news: it says them at every start and stop. */
const ROUTINE =
  /^LOG: {2}(starting PostgreSQL|listening on|database system (was shut down|is ready|is shut down)|received fast|aborting any|background worker|shutting down|checkpoint)/

/**
 * The built-in PostgreSQL, started again when it ends by itself; requests meanwhile are turned away.
 * @param onLost called when it cannot be kept running
 */
export async function openOwnDatabase(deps: {
  readonly config: Config
  readonly dataFolder: string
  readonly observe: Observe
  readonly onLine: (line: string) => void
  readonly onLost: (error: StartupError) => void
}): Promise<OwnDatabase> {
  const { config, observe, onLine, onLost } = deps
  let starting = true
  const start = (port: number | null) =>
    startEmbeddedPostgres({
      folder: deps.dataFolder,
      durable: true,
      extensionFolder: join(PACKAGE_ROOT, 'extension'),
      onLine: (line) => {
        if (/^[A-Z]+: /.test(line)) logServerLine(observe, line)
        else if (starting) onLine(line)
      },
      ...(port === null ? {} : { port }),
    })

  let current = await start(config.embeddedPort)
  starting = false
  let stopping = false
  const restarts: number[] = []

  const watch = async (server: EmbeddedPostgres): Promise<void> => {
    await server.exited
    if (stopping) return
    observe({ kind: 'failure', message: 'the built-in PostgreSQL ended by itself and is started again', error: null })
    const now = performance.now()
    while ((restarts[0] ?? now) < now - RESTART_WINDOW_MS) restarts.shift()
    restarts.push(now)
    try {
      if (restarts.length > MOST_RESTARTS) throw new StartupError(`The built-in PostgreSQL ended ${restarts.length} times in five minutes.`)
      const next = await start(server.port)
      if (next.socketFolder !== server.socketFolder) throw new StartupError('The built-in PostgreSQL came back under another address.')
      current = next
      if (stopping) return await next.stop()
    } catch (error) {
      return onLost(
        error instanceof StartupError ? error : new StartupError(`The built-in PostgreSQL is lost: ${reasonOf(error)}`, { cause: error }),
      )
    }
    return watch(current)
  }
  void watch(current)

  return {
    ownerUrl: current.superuserUrl,
    urlFor: current.urlFor,
    own: true,
    stop: async () => {
      stopping = true
      await current.stop()
    },
  }
}

function logServerLine(observe: Observe, line: string): void {
  const level = ROUTINE.test(line) ? 'debug' : /^(FATAL|PANIC|WARNING)/.test(line) ? 'warn' : 'info'
  observe({
    kind: 'note',
    level: /^(ERROR|DETAIL|HINT|STATEMENT|CONTEXT)/.test(line) ? 'debug' : level,
    message: 'postgresql',
    details: { line: line.slice(0, MAX_LINE) },
  })
}
