import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/options.ts'
import { StartupError } from '../config/startup-error.ts'
import type { Observe } from '../observe/observation.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import type { Database } from './open-database.ts'
import { PACKAGE_ROOT } from './package-root.ts'

export type OwnDatabase = Database & { readonly stop: () => Promise<void> }

/** One that ends sooner is likely to end again. */
const STEADY_MS = 10_000
const LONGEST_PAUSE_MS = 10_000
/** for the owner, psql, a backup, and what the server keeps back */
const SPARE_CONNECTIONS = 20
/** Characters of a line of the server's log: statements and messages of callers are in it. */
const MAX_LINE = 2_000
/** Lines of the server's log that are no news: it says them at every start and stop. */
const ROUTINE =
  /^LOG: {2}(starting PostgreSQL|listening on|database system (was shut down|is ready|is shut down)|received fast|aborting any|background worker|shutting down|checkpoint)/

/**
 * The built-in PostgreSQL, started again when it ends by itself, for as long as it takes; requests meanwhile are turned away.
 * @param onLost called when it came back where nobody looks for it
 */
export async function openOwnDatabase(deps: {
  readonly config: Config
  readonly dataFolder: string
  readonly observe: Observe
  readonly onLine: (line: string) => void
  readonly onLost: (error: StartupError) => void
  /** called when there is nothing to do but wait for the server */
  readonly onWaiting?: () => void
}): Promise<OwnDatabase> {
  const { config, observe, onLine, onLost, onWaiting } = deps
  let starting = true
  const start = (port: number | null) =>
    startEmbeddedPostgres({
      folder: deps.dataFolder,
      durable: true,
      maxConnections: connectionsFor(config),
      extensionFolder: join(PACKAGE_ROOT, 'extension'),
      onLine: (line) => {
        if (/^[A-Z]+: /.test(line)) {
          logServerLine(observe, line)
          // its first line: it is at work
          if (starting) onWaiting?.()
        } else if (starting) onLine(line)
      },
      ...(port === null ? {} : { port }),
    })

  let current = await start(config.embeddedPort)
  starting = false
  const stopping = new AbortController()

  /** Until it runs, however long that takes: a disk that is full has room again one day. null: the service stops meanwhile. */
  const startAgain = async (port: number, shortLived: number): Promise<EmbeddedPostgres | null> => {
    for (let tries = shortLived; ; tries++) {
      await sleep(pauseBefore(tries), undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return null
      try {
        return await start(port)
      } catch (error) {
        observe({ kind: 'failure', message: 'the built-in PostgreSQL does not start, and is tried again', error })
      }
    }
  }

  const watch = async (): Promise<void> => {
    for (let shortLived = 0; ; ) {
      const startedAt = performance.now()
      await current.exited
      if (stopping.signal.aborted) return
      observe({ kind: 'failure', message: 'the built-in PostgreSQL ended by itself and is started again', error: null })
      shortLived = performance.now() - startedAt < STEADY_MS ? shortLived + 1 : 0
      const next = await startAgain(current.port, shortLived)
      if (next === null) return
      const isElsewhere = next.socketFolder !== current.socketFolder
      current = next
      if (stopping.signal.aborted) return next.stop()
      if (isElsewhere) return onLost(new StartupError('The built-in PostgreSQL came back under another address.'))
    }
  }
  const watching = watch()

  return {
    ownerUrl: current.superuserUrl,
    urlFor: current.urlFor,
    own: true,
    stop: async () => {
      stopping.abort()
      await current.stop()
      await watching
    },
  }
}

/** The first time at once, then after a second, two, four, and so on. */
const pauseBefore = (tries: number): number => (tries <= 1 ? 0 : Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** (tries - 2)))
/** Nobody else sets the built-in server's limit, so it follows from the pools, of a worker more while they are replaced in turn. */
const connectionsFor = ({ workers, webConnections, serviceConnections }: Config): number =>
  Math.max(100, (workers === 1 ? 1 : workers + 1) * (webConnections + serviceConnections) + SPARE_CONNECTIONS)

function logServerLine(observe: Observe, line: string): void {
  const level = ROUTINE.test(line) ? 'debug' : /^(FATAL|PANIC|WARNING)/.test(line) ? 'warn' : 'info'
  observe({
    kind: 'note',
    level: /^(ERROR|DETAIL|HINT|STATEMENT|CONTEXT)/.test(line) ? 'debug' : level,
    message: 'postgresql',
    details: { line: line.slice(0, MAX_LINE) },
  })
}
