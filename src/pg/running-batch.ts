import type { Statement } from '../sqltext/sql.ts'
import type { Milliseconds } from '../std/brand.ts'
import { invariant } from '../std/invariant.ts'
import { leaversOf } from '../std/leavers.ts'
import type { Connection, Purpose } from './connection.ts'
import { type Asker, Exchange, NotBegun, type Prepared, type Rows } from './exchange.ts'
import type { Borrower, Lender } from './lender.ts'
import type { Pace } from './pace.ts'
import { isRefusal, lostConnection, PgCancelled, PgError, type PgErrorFields } from './pg-error.ts'
import { type Preamble, type PreambleDefaults, preamble } from './preamble.ts'
import { isQuestion, type ScopedBatch } from './scoped-batch.ts'

export type RunningDeps = {
  readonly options: PreambleDefaults & {
    /** added to a role's statement timeout: past it the connection is given up */
    readonly graceMs: Milliseconds
    /** told of every round trip, with the number of the batch's statements */
    readonly onTrip?: (statements: number) => void
  }
  readonly lender: Lender
  readonly pace: Pace
  /** told that it has gone out on a connection that others may share */
  readonly onShared: () => void
}

const MAX_VALUES = 65_535
/** What takes longer has a connection alone. */
const QUICK_MS = 0.3
const NO_LIMIT_MS = 3_600_000

const BEGIN: Statement = { text: 'begin', values: [] }
const ROLLBACK: Statement = { text: 'rollback', values: [] }

/**
 * A batch on its way through a pool: it waits for a connection, goes out, is answered. One that only asks and has been quick lately shares
 * a connection with others of its kind; if PostgreSQL never came to it there, it is asked again on one of its own. One that only asks and whose connection broke is asked
 * again once.
 */
export class RunningBatch implements Borrower, Asker {
  expectedMs: number | null
  private readonly ofItself: Purpose
  private readonly asBytes: boolean
  private readonly deps: RunningDeps
  private readonly batch: ScopedBatch
  private readonly prepared: readonly Prepared[]
  private readonly signal: AbortSignal
  private readonly resolve: (rows: Rows) => void
  private readonly reject: (error: Error) => void
  private connection: Connection | null = null
  private exchange: Exchange | null = null
  private isFirstTry = true
  private isListening = false
  /** its caller is not there any more, and PostgreSQL was told to stop */
  private isCancelled = false

  constructor(
    deps: RunningDeps,
    batch: ScopedBatch,
    asBytes: boolean,
    signal: AbortSignal,
    resolve: (rows: Rows) => void,
    reject: (error: Error) => void,
  ) {
    this.deps = deps
    this.batch = batch
    this.ofItself = purposeOf(batch, asBytes)
    this.asBytes = asBytes
    this.signal = signal
    this.resolve = resolve
    this.reject = reject
    this.prepared = prepare(batch, deps)
    const expected = deps.pace.expected(batch)
    this.expectedMs = expected !== null && expected <= QUICK_MS ? expected : null
  }

  /** What has been quick lately is short, whatever it asks. */
  get purpose(): Purpose {
    return this.expectedMs !== null ? 'question' : this.ofItself
  }

  waits(): void {
    this.listen(true)
  }

  take(connection: Connection): void {
    this.connection = connection
    if (this.signal.aborted) {
      this.listen(false)
      this.giveBack(connection)
      this.reject(new PgCancelled())
    } else this.send(connection)
  }

  refuse(error: Error): void {
    this.listen(false)
    this.reject(error)
  }

  settle(exchange: Exchange, error: Error | null, rows: Rows): void {
    const { connection } = this
    if (exchange !== this.exchange || !connection) return
    this.exchange = null
    this.listen(false)
    if (this.isCancelled) this.deps.lender.drop(connection)
    else if (!error) this.answer(connection, exchange, rows)
    else if (error instanceof NotBegun) this.askAgain()
    else if (isRefusal(error)) this.refused(connection, error)
    else this.lost(connection, error, exchange.isLate(performance.now()))
  }

  outstay(exchange: Exchange): void {
    if (exchange !== this.exchange || !this.connection || this.expectedMs === null) return
    this.expectedMs = null
    this.deps.lender.separate(this.connection, this.purpose)
    if (this.signal.aborted) this.leave()
    else this.listen(true)
  }

  private send(connection: Connection): void {
    const { options, onShared } = this.deps
    const isShared = this.expectedMs !== null
    // of what is quick the answer comes before it could be cancelled
    this.listen(!isShared)
    if (isShared) onShared()
    options.onTrip?.(this.batch.statements.length)
    const deadlineMs = (options.statementTimeoutMs(this.batch.as.role) || NO_LIMIT_MS) * this.batch.statements.length + options.graceMs
    this.exchange = new Exchange({ batch: this.prepared, rowsFrom: this.rowsFrom, asBytes: this.asBytes, deadlineMs, asker: this })
    connection.wire.send(this.exchange, isShared)
  }

  private answer(connection: Connection, exchange: Exchange, rows: Rows): void {
    this.deps.pace.note(this.batch, exchange.tookMs, exchange.isForAny)
    this.giveBack(connection)
    this.resolve(this.isDryRun ? rows.slice(0, this.batch.statements.length) : rows)
  }

  private refused(connection: Connection, error: PgError): void {
    const answer = error.cause as PgErrorFields
    if (this.isFirstTry && connection.wire.preparesNames && isForgotten(answer)) {
      this.isFirstTry = false
      connection.wire.forgetNames()
      this.cleanUp(connection, () => this.take(connection))
    } else {
      this.cleanUp(connection, () => this.giveBack(connection))
      this.reject(new PgError(answer, error.statement - this.rowsFrom))
    }
  }

  private lost(connection: Connection, error: Error, isLate: boolean): void {
    this.deps.lender.drop(connection)
    if (isLate || !this.isFirstTry || !isQuestion(this.batch)) this.reject(lostConnection(error, isLate))
    else {
      this.isFirstTry = false
      this.askAgain()
    }
  }

  private giveBack(connection: Connection): void {
    this.deps.lender.giveBack(connection, this.expectedMs)
  }

  private askAgain(): void {
    this.connection = null
    this.expectedMs = null
    if (this.signal.aborted) this.reject(new PgCancelled())
    else this.deps.lender.lend(this)
  }

  /** Ends what a dry run that failed left open. */
  private cleanUp({ wire }: Connection, then: () => void): void {
    if (!this.isDryRun) then()
    else wire.send(new Exchange({ batch: [{ role: '', statement: ROLLBACK }], rowsFrom: 0, asBytes: false, asker: { settle: then } }))
  }

  /** While it waits, or has a connection alone. */
  private readonly leave = (): void => {
    this.listen(false)
    if (this.exchange && this.connection) {
      this.isCancelled = true
      // a late cancel could hit the connection's next statement, so the connection is given up with the exchange
      this.connection.cancel()
    } else this.deps.lender.withdraw(this)
    this.reject(new PgCancelled())
  }

  private listen(on: boolean): void {
    if (on === this.isListening) return
    this.isListening = on
    if (on) leaversOf(this.signal).add(this.leave)
    else leaversOf(this.signal).delete(this.leave)
  }

  private get isDryRun(): boolean {
    return this.batch.end === 'roll back'
  }

  /** of what was prepared; before it stands what opens the transaction and says who asks */
  private get rowsFrom(): number {
    return this.isDryRun ? 2 : 1
  }
}

/** What is handed on as bytes is as long as its asker wants it. */
const purposeOf = (batch: ScopedBatch, asBytes: boolean): Purpose =>
  asBytes || batch.ofAnyLength ? 'long' : isQuestion(batch) ? 'question' : 'change'

function prepare(batch: ScopedBatch, { options, pace }: RunningDeps): readonly Prepared[] {
  const own = (statement: Preamble): Prepared => ({ role: '', statement })
  const statements = batch.statements.map((statement): Prepared => {
    // the protocol counts them in 16 bits
    invariant(statement.values.length <= MAX_VALUES, `${statement.values.length} values in one statement`)
    return { role: batch.as.role, statement: pace.plansAnew(batch, statement.text) ? { ...statement, planAnew: true } : statement }
  })
  const scoped = [own(preamble(batch, options)), ...statements]
  return batch.end === 'roll back' ? [own(BEGIN), ...scoped, own(ROLLBACK)] : scoped
}

/**
 * The connection's prepared statements are not what we think: deallocated by somebody, of another result type since a table changed, or
 * analysed while a function was replaced, for good: functions are not locked, and PostgreSQL's plan cache hears only of what changes later.
 * Nothing has happened then, so the batch can be sent again.
 */
const isForgotten = ({ code, routine, message }: PgErrorFields): boolean =>
  code === '26000' || routine === 'RevalidateCachedQuery' || (code === 'XX000' && message.startsWith('cache lookup failed for '))
