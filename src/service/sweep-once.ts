import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../config/startup-error.ts'
import type { Milliseconds } from '../std/brand.ts'
import { holdRemovals, releaseRemovals } from '../storage/sweep/hold.ts'
import { createInFlight } from '../storage/sweep/in-flight.ts'
import type { Run } from '../storage/sweep/sweep-options.ts'
import { createSweeper, type SweepOnce, type SweepReport } from '../storage/sweep/sweeper.ts'
import { sweepOptions } from './compose-storage.ts'
import type { Connections } from './connections.ts'
import { withStore } from './with-store.ts'

/** One pass of the sweeper, beside a running service or without one. */
export async function sweepOnce(once: SweepOnce, onLine: (line: string) => void): Promise<SweepReport> {
  return withStore(onLine, ({ config, connections, bytes, marker, note }) =>
    createSweeper({
      asService: connections.asService,
      bytes,
      marker,
      note,
      inFlight: createInFlight(),
      newId: randomUUID,
      options: sweepOptions(config),
      observe: () => undefined,
    }).sweepOnce(once),
  )
}

/**
 * Keeps every process from removing bytes for a while. Answers until when.
 * @throws StartupError when a pass of another process does not end
 */
export async function holdSweeping(lifeMs: Milliseconds, onLine: (line: string) => void): Promise<string> {
  return withStore(onLine, async ({ connections }) => {
    const until = await holdRemovals({ run: runOn(connections), newId: randomUUID, sleep }, lifeMs)
    if (until === null) throw new StartupError('Another process has been sweeping for more than a minute: try again.')
    return until
  })
}

/** Answers whether anything was on hold. */
export async function releaseSweeping(onLine: (line: string) => void): Promise<boolean> {
  return withStore(onLine, ({ connections }) => releaseRemovals({ run: runOn(connections) }))
}

function runOn(connections: Connections): Run {
  const unhurried = new AbortController().signal
  return async (statements) => connections.asService({ access: 'read write', end: 'commit', settings: [], statements }, unhurried)
}
