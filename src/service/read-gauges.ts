import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Sample } from '../observe/exposition.ts'
import type { Gauges } from '../observe/metrics.ts'
import type { Milliseconds } from '../std/brand.ts'
import { singleFlight } from '../std/single-flight.ts'
import type { Backlog } from '../storage/rows/backlog.sql.ts'
import type { Connections } from './connections.ts'

export type GaugeDeps = {
  readonly connections: Pick<Connections, 'stats'>
  /** asks the database */
  readonly backlog: (signal: AbortSignal) => Promise<Backlog>
  readonly isReady: () => Promise<boolean>
  readonly version: string
  /** how long the database's answer is believed: several may look at once, and it must not cost more for that */
  readonly backlogLife: Milliseconds
  readonly backlogLimit: Milliseconds
}

const RESOLUTION_MS = 20
const NANOSECONDS = 1e9

/** What is read when somebody looks. A database that does not answer in time leaves out what only it knows. */
export function createGauges(deps: GaugeDeps): { readonly read: () => Promise<Gauges>; readonly end: () => void } {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  loop.enable()
  const startedAt = performance.timeOrigin / 1_000
  let known: { readonly backlog: Backlog | null; readonly at: number } | null = null

  const backlogNow = singleFlight(async (): Promise<Backlog | null> => {
    if (known && performance.now() - known.at < deps.backlogLife) return known.backlog
    const backlog = await deps.backlog(AbortSignal.timeout(deps.backlogLimit)).catch(() => null)
    known = { backlog, at: performance.now() }
    return backlog
  })

  /** the timer itself is no delay */
  const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000)

  return {
    end: () => loop.disable(),
    read: async () => {
      const [backlog, isReady] = await Promise.all([backlogNow('now'), deps.isReady()])
      const stats = Object.entries(deps.connections.stats())
      const usage = process.cpuUsage()
      const loopDelay = [
        sample(delay(loop.percentile(50)), '0.5'),
        sample(delay(loop.percentile(99)), '0.99'),
        sample(delay(loop.max), '1'),
      ]
      loop.reset()
      return {
        ...(backlog && {
          outbox: [sample(backlog.outbox)],
          outboxAge: [sample(backlog.outboxAge)],
          intents: [sample(backlog.intents)],
          emptyings: [sample(backlog.emptyings)],
          emptyingAge: [sample(backlog.emptyingAge)],
        }),
        connections: stats.flatMap(([login, { total, idle }]) => [sample(total - idle, login, 'busy'), sample(idle, login, 'idle')]),
        connectionLimit: stats.map(([login, { most }]) => sample(most, login)),
        waiting: stats.map(([login, { waiting }]) => sample(waiting, login)),
        ready: [sample(isReady ? 1 : 0)],
        processes: [sample(1, 'yes')],
        loopDelay,
        build: [sample(1, deps.version, process.version)],
        cpu: [sample((usage.user + usage.system) / 1e6)],
        memory: [sample(process.memoryUsage.rss())],
        started: [sample(startedAt)],
      }
    },
  }
}

const sample = (value: number, ...labels: readonly string[]): Sample => ({ labels, value })
