import type { Socket } from 'node:net'
import pg from 'pg'
import type { Statement } from '../sqltext/sql.ts'
import { type Milliseconds, milliseconds } from '../std/brand.ts'
import { invariant } from '../std/invariant.ts'
import { connectOptions } from './connect-options.ts'
import { Exchange, type Prepared } from './exchange.ts'
import { isUnavailableState, PgCancelled, PgError, type PgErrorFields, PgUnavailable } from './pg-error.ts'
import { type PreambleDefaults, preamble } from './preamble.ts'
import type { Cell, Row, RunForBytes, RunScoped, ScopedBatch } from './scoped-batch.ts'
import { SESSION_OPTIONS } from './session-settings.ts'
import { Wire } from './wire.ts'

export type PgPoolOptions = PreambleDefaults & {
  /** connection URI, PostgreSQL manual 34.1.1.2 */
  readonly url: string
  readonly applicationName: string
  readonly maxConnections: number
  /** how long a batch may wait for a connection */
  readonly waitMs: Milliseconds
  /** batches waiting at once; one more is refused */
  readonly maxWaiting: number
  /** added to a role's statement timeout: past it the connection is given up, since PostgreSQL does not answer */
  readonly graceMs: Milliseconds
  /** how long a statement waits for somebody else's lock (PostgreSQL manual 19.11.1); 0 switches the limit off */
  readonly lockWaitMs?: Milliseconds
  /** prepared statements kept per connection and role; 0 prepares none, for poolers that cannot keep names */
  readonly preparedPerRole: number
  /** the login's role brings the settings of session-settings.ts, since a pooler takes none at connect */
  readonly settingsByRole?: boolean
  /** told of every round trip, with the number of the batch's statements */
  readonly onTrip?: (statements: number) => void
  /** told of errors on idle connections; they are replaced, nobody waits for them */
  readonly onIdleError?: (error: Error) => void
}

export type PgPool = {
  readonly run: RunScoped
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

const MAX_VALUES = 65_535
/** Reflecting the largest schemas takes a second or two. */
const QUERY_LIMIT = milliseconds(20_000)
/** A CancelRequest is answered by closing its connection, at once. */
const CANCEL_LIMIT_MS = 5_000

const BEGIN: Statement = { text: 'begin', values: [] }
const ROLLBACK: Statement = { text: 'rollback', values: [] }

/** A pool of connections whose only use is {@link RunScoped}: preamble, statements and one Sync in one write (PostgreSQL manual 55.2.4). */
export function createPgPool(options: PgPoolOptions): PgPool {
  const config: pg.PoolConfig = {
    ...connectOptions(
      options.url,
      options.applicationName,
      options.settingsByRole ? null : `${SESSION_OPTIONS} -c lock_timeout=${options.lockWaitMs ?? 0}`,
    ),
    max: options.maxConnections,
    connectionTimeoutMillis: options.waitMs,
    idleTimeoutMillis: 60_000,
  }
  const pool = new pg.Pool(config)
  let ending = false
  const wires = new WeakMap<pg.PoolClient, Wire>()
  // of connections, which last, and not of what is under way on them: what goes through a Map for every request was seen to outlive small collections
  const open = new Map<pg.PoolClient, Wire>()

  pool.on('connect', (client) => {
    const wire = new Wire(streamOf(client), options.preparedPerRole)
    wires.set(client, wire)
    open.set(client, wire)
    // a connection that dies under a batch tells it through its exchange; as an event that nobody hears it would end the process
    client.on('error', () => undefined)
  })
  pool.on('remove', (client) => open.delete(client))
  pool.on('error', (error, client) => options.onIdleError?.(wires.get(client)?.farewell ?? error))

  const watch = setInterval(() => {
    const now = performance.now()
    for (const wire of open.values()) wire.giveUpIfLate(now)
  }, 1_000)
  watch.unref()

  const run = (batch: ScopedBatch, asBytes: boolean, signal: AbortSignal): Promise<Rows> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new PgCancelled())
      if (ending) return reject(new PgUnavailable('shutting down'))
      // those who are about to be given a free connection do not wait
      const free = pool.idleCount + options.maxConnections - pool.totalCount
      if (pool.waitingCount - free >= options.maxWaiting) return reject(new PgUnavailable('pool exhausted'))
      const prepared = prepare(batch)
      const leave = () => reject(new PgCancelled())
      signal.addEventListener('abort', leave, { once: true })
      pool.connect((error, client, release) => {
        signal.removeEventListener('abort', leave)
        if (error || !client) return reject(unreachable(error))
        if (signal.aborted) return release()
        send({ batch, prepared, asBytes }, { client, release, isFirstTry: true }, signal, resolve, reject)
      })
    })

  function prepare(batch: ScopedBatch): readonly Prepared[] {
    const own = (statement: Statement): Prepared => ({ role: '', statement })
    const statements = batch.statements.map((statement): Prepared => {
      // the protocol counts them in 16 bits
      invariant(statement.values.length <= MAX_VALUES, `${statement.values.length} values in one statement`)
      return { role: batch.as.role, statement }
    })
    const scoped = [own(preamble(batch, options)), ...statements]
    return batch.end === 'roll back' ? [own(BEGIN), ...scoped, own(ROLLBACK)] : scoped
  }

  function send(
    job: Job,
    { client, release, isFirstTry }: Lent,
    signal: AbortSignal,
    resolve: (rows: Rows) => void,
    reject: (error: Error) => void,
  ): void {
    const { batch, prepared, asBytes } = job
    const wire = wireOf(client)
    const dryRun = batch.end === 'roll back'
    const before = dryRun ? 2 : 1
    let cancelled = false

    const settle = (error: Error | null, rows: Rows) => {
      signal.removeEventListener('abort', cancel)
      if (cancelled) return release(true)
      if (!error) {
        // a statement of ours has left a transaction open, or another way to read and write texts: never hand that connection on
        release(!wire.isClean)
        return resolve(dryRun ? rows.slice(0, batch.statements.length) : rows)
      }
      if (!(error instanceof PgError) || isUnavailableState(error.sqlstate)) {
        release(true)
        return reject(lost(error, exchange))
      }
      if (isFirstTry && wire.preparesNames && isForgotten(error.cause as PgErrorFields)) {
        wire.forgetNames()
        const sendAgain = () => {
          if (!signal.aborted) return send(job, { client, release, isFirstTry: false }, signal, resolve, reject)
          release()
          return reject(new PgCancelled())
        }
        return dryRun ? undo(wire, sendAgain) : sendAgain()
      }
      if (dryRun) undo(wire, () => release(!wire.isClean))
      else release(!wire.isClean)
      return reject(new PgError(error.cause as PgErrorFields, error.statement - before))
    }
    const deadlineMs = (options.statementTimeoutMs(batch.as.role) || 3_600_000) * batch.statements.length + options.graceMs
    const exchange = new Exchange({ batch: prepared, rowsFrom: before, asBytes, deadlineMs, settle })
    const cancel = () => {
      cancelled = true
      // a late cancel could hit the connection's next statement, so the connection is given up with the exchange
      requestCancel(config, client)
      reject(new PgCancelled())
    }
    signal.addEventListener('abort', cancel, { once: true })
    options.onTrip?.(batch.statements.length)
    wire.send(exchange)
  }

  const wireOf = (client: pg.PoolClient): Wire => {
    const wire = wires.get(client)
    invariant(wire !== undefined, 'a connection without a wire')
    return wire
  }

  /** Ends what a dry run that failed left open. */
  const undo = (wire: Wire, then: () => void): void =>
    wire.send(new Exchange({ batch: [{ role: '', statement: ROLLBACK }], rowsFrom: 0, asBytes: false, settle: then }))

  const ask = (client: pg.PoolClient, statement: Statement, limitMs: Milliseconds): Promise<readonly Row[]> =>
    new Promise((resolve, reject) => {
      const wire = wireOf(client)
      const late = setTimeout(() => wire.destroy(), limitMs)
      const settle = (error: Error | null, [rows = []]: Rows) => {
        clearTimeout(late)
        if (!error) resolve(rows as readonly Row[])
        else reject(error instanceof PgError ? error : lost(error, exchange))
      }
      const exchange = new Exchange({
        batch: [{ role: '', statement }],
        rowsFrom: 0,
        asBytes: false,
        deadlineMs: limitMs,
        settle,
        isPrepared: false,
      })
      wire.send(exchange)
    })

  return {
    run: (batch, signal) => run(batch, false, signal) as ReturnType<RunScoped>,
    runForBytes: (batch, signal) => run(batch, true, signal),
    query: async (statement, limitMs = QUERY_LIMIT) => {
      const client = await pool.connect().catch((error: Error) => Promise.reject(unreachable(error)))
      try {
        return await ask(client, statement, limitMs)
      } finally {
        client.release(!wireOf(client).isClean)
      }
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: async () => {
      ending = true
      // whoever asked has had his answer by now, or has left: a server that stands still must not keep the process
      const late = setTimeout(() => {
        for (const wire of open.values()) wire.destroy()
      }, options.graceMs)
      await pool.end()
      clearTimeout(late)
      clearInterval(watch)
    },
  }
}

type Rows = readonly (readonly (readonly Cell[])[])[]
type Job = { readonly batch: ScopedBatch; readonly prepared: readonly Prepared[]; readonly asBytes: boolean }
type Lent = { readonly client: pg.PoolClient; readonly release: (destroy?: Error | boolean) => void; readonly isFirstTry: boolean }

/**
 * The connection's prepared statements are not what we think: deallocated by somebody, or of another result type since a table changed.
 * Nothing has happened then, so the batch can be sent again.
 */
const isForgotten = ({ code, routine }: PgErrorFields): boolean => code === '26000' || routine === 'RevalidateCachedQuery'

const streamOf = (client: pg.PoolClient): Socket => (client as unknown as { connection: { stream: Socket } }).connection.stream

/** pg says why a connection could not be had in words only: its own waiting limit, or whatever the socket or the server said. */
function unreachable(error: Error | undefined): PgUnavailable {
  const said = error?.message ?? ''
  if (said.includes('timeout exceeded when trying to connect')) return new PgUnavailable('pool exhausted', { cause: error })
  return new PgUnavailable(said === 'Query read timeout' ? 'deadline passed' : 'unreachable', { cause: error })
}

function lost(error: Error, exchange: Exchange): PgUnavailable {
  return new PgUnavailable(exchange.isLate(performance.now()) ? 'deadline passed' : 'connection lost', { cause: error })
}

/**
 * A CancelRequest goes over a connection of its own (PostgreSQL manual 55.2.8), which pg can make though its types leave that out.
 * One that does not arrive changes nothing: the statement's timeout ends what it was meant for.
 */
function requestCancel(config: pg.PoolConfig, client: pg.PoolClient): void {
  const { host, port, connection } = new pg.Client(config) as unknown as Canceller
  const { processID, secretKey } = client as unknown as Canceller
  connection.on('error', () => undefined)
  // a server that stands still takes connections and closes none
  const late = setTimeout(() => connection.stream.destroy(), CANCEL_LIMIT_MS)
  late.unref()
  connection.on('end', () => clearTimeout(late))
  connection.on('connect', () => connection.cancel(processID, secretKey))
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
  else connection.connect(port, host)
}

type Canceller = {
  readonly host: string
  readonly port: number
  readonly processID: number
  readonly secretKey: number
  readonly connection: {
    readonly stream: { destroy(): void }
    on(event: 'connect' | 'error' | 'end', listener: () => void): void
    connect(port: number | string, host?: string): void
    cancel(processID: number, secretKey: number): void
  }
}
