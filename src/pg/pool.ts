import type { Statement } from '../sqltext/sql.ts'
import { type Milliseconds, milliseconds } from '../std/brand.ts'
import { ArrivalClock } from './arrival-clock.ts'
import { AskedAlone } from './asked-alone.ts'
import { connectOptions } from './connect-options.ts'
import { Connection } from './connection.ts'
import type { Rows } from './exchange.ts'
import { Lender } from './lender.ts'
import { Pace } from './pace.ts'
import { PgCancelled } from './pg-error.ts'
import type { PreambleDefaults } from './preamble.ts'
import { RunningBatch } from './running-batch.ts'
import type { Row, RunForBytes, RunScoped, ScopedBatch } from './scoped-batch.ts'
import { SESSION_OPTIONS } from './session-settings.ts'

export type PgPoolOptions = PreambleDefaults & {
  /** connection URI, PostgreSQL manual 34.1.1.2 */
  readonly url: string
  readonly applicationName: string
  readonly maxConnections: number
  /** of those, for what may take long at once; all, if it is not said */
  readonly maxLong?: number
  /** of those, for what may take long and for changes at once; all, if it is not said */
  readonly maxHeld?: number
  /** how long a batch may wait for a connection */
  readonly waitMs: Milliseconds
  /** batches waiting at once; one more is refused */
  readonly maxWaiting: number
  /** added to a role's statement timeout: past it the connection is given up, since PostgreSQL does not answer */
  readonly graceMs: Milliseconds
  /** how long a statement waits for somebody else's lock (PostgreSQL manual 19.11.1); 0 switches the limit off */
  readonly lockWaitMs?: Milliseconds
  /** prepared statements kept per connection; 0 prepares none, for poolers that cannot keep names */
  readonly mostPrepared: number
  /** the login's role brings the settings of session-settings.ts, since a pooler takes none at connect */
  readonly settingsByRole?: boolean
  /** told of every round trip, with the number of the batch's statements */
  readonly onTrip?: (statements: number) => void
  /** told of errors on idle connections; they are replaced, nobody waits for them */
  readonly onIdleError?: (error: Error) => void
}

export type PgPool = {
  readonly run: RunScoped
  /** the same for questions of any length: many of them leave a part of the connections to others */
  readonly runForBytes: RunForBytes
  /**
   * One statement as the login itself, outside any scope: for reflection and upkeep, never with a caller's words in the text. Without an
   * answer after `limitMs`, or 20 s, its connection is given up.
   * @throws PgError, PgUnavailable
   */
  readonly query: (statement: Statement, limitMs?: Milliseconds) => Promise<readonly Row[]>
  readonly stats: () => { readonly total: number; readonly idle: number; readonly waiting: number }
  readonly end: () => Promise<void>
}

/** Reflecting the largest schemas takes a second or two. */
const QUERY_LIMIT = milliseconds(20_000)
/** How long those who share a connection wait for one that was expected to be quick. */
const PATIENCE_MS = 20

/** A pool of connections whose only use is {@link RunScoped}: preamble, statements and one Sync in one write (PostgreSQL manual 55.2.4). */
export function createPgPool(options: PgPoolOptions): PgPool {
  const config = {
    ...connectOptions(
      options.url,
      options.applicationName,
      options.settingsByRole ? null : `${SESSION_OPTIONS} -c lock_timeout=${options.lockWaitMs ?? 0}`,
    ),
    connectionTimeoutMillis: options.waitMs,
  }
  const clock = new ArrivalClock()
  const lender = new Lender({
    open: () => Connection.open(config, options.mostPrepared, clock),
    mostConnections: options.maxConnections,
    mostLong: options.maxLong ?? options.maxConnections,
    mostHeld: options.maxHeld ?? options.maxConnections,
    waitMs: options.waitMs,
    maxWaiting: options.maxWaiting,
    onIdleError: options.onIdleError ?? (() => undefined),
  })
  const pace = new Pace()
  const running = { options, lender, pace, onShared: watchShared }

  const watch = setInterval(() => lender.lookAfter(performance.now()), 1_000)
  watch.unref()

  // one timer for all of them, and only while there are any
  let watching: NodeJS.Timeout | null = null
  function watchShared(): void {
    if (watching) return
    // behind the answers that have arrived while the loop was busy
    watching = setTimeout(() => setImmediate(separateSlow), PATIENCE_MS).unref()
  }
  function separateSlow(): void {
    watching = null
    const now = performance.now()
    for (const { wire } of [...lender.sharedNow()]) if (wire.head && wire.head.age(now) > PATIENCE_MS) wire.head.outstay()
    if (lender.sharedNow().length > 0) watchShared()
  }

  const run = (batch: ScopedBatch, asBytes: boolean, signal: AbortSignal): Promise<Rows> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(new PgCancelled())
      else {
        clock.notice(performance.now())
        lender.lend(new RunningBatch(running, batch, asBytes, signal, resolve, reject))
      }
    })

  return {
    run: (batch, signal) => run(batch, false, signal) as ReturnType<RunScoped>,
    runForBytes: (batch, signal) => run(batch, true, signal),
    query: (statement, limitMs = QUERY_LIMIT) =>
      new Promise((resolve, reject) => lender.lend(new AskedAlone(lender, statement, limitMs, resolve, reject))),
    stats: () => lender.stats(),
    end: async () => {
      // whoever asked has had his answer by now, or has left: a server that stands still must not keep the process
      const late = setTimeout(() => lender.destroyAll(), options.graceMs)
      await lender.end()
      clearTimeout(late)
      clearInterval(watch)
    },
  }
}
