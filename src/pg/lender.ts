import type { Milliseconds } from '../std/brand.ts'
import type { Connection, Purpose } from './connection.ts'
import { PgUnavailable } from './pg-error.ts'

export type LenderOptions = {
  /** @throws Error */
  readonly open: () => Promise<Connection>
  readonly mostConnections: number
  /** of those, lent at once to what may take long */
  readonly mostLong: number
  /** of those, lent at once to what may take long and to what changes something together: others' quick questions find one that is left */
  readonly mostHeld: number
  /** how long one waits for a connection */
  readonly waitMs: Milliseconds
  /** how many wait at once; one more is refused */
  readonly maxWaiting: number
  /** told of the end of a connection that nobody used */
  readonly onIdleError: (error: Error) => void
}

/** Who wants a connection. */
export type Borrower = {
  /** milliseconds it will take, if it may share a connection with others; null: wants one alone */
  readonly expectedMs: number | null
  readonly purpose: Purpose
  /** told that it has to wait */
  readonly waits?: () => void
  readonly take: (connection: Connection) => void
  readonly refuse: (error: PgUnavailable) => void
}

/** Those who share a connection are not expected to wait longer for each other. */
const MOST_EXPECTED_MS = 2
const MOST_PLACES = 32
const IDLE_LIMIT_MS = 60_000

type Waiting = { readonly timer: NodeJS.Timeout; readonly turn: number }

/** Opens connections and lends them: one to somebody alone, or one to several who will be quick. */
export class Lender {
  private readonly options: LenderOptions
  private readonly all = new Set<Connection>()
  /** the one used last is used first, so the front ones are those that are not needed */
  private readonly idle: Connection[] = []
  private readonly shared: Connection[] = []
  private readonly waiting: Readonly<Record<Purpose, Map<Borrower, Waiting>>> = { question: new Map(), change: new Map(), long: new Map() }
  /** said goodbye to, not closed yet */
  private readonly leaving = new Set<Connection>()
  private opening = 0
  private readonly lent: Record<Purpose, number> = { question: 0, change: 0, long: 0 }
  private turns = 0
  private isServing = false
  private whenEmpty: (() => void) | null = null

  constructor(options: LenderOptions) {
    this.options = options
  }

  /** Gives a connection now, later, or never: then it is told why. */
  lend(borrower: Borrower): void {
    const { question } = this.waiting
    const isFirst = question.size === 0 && this.waiting[borrower.purpose].size === 0
    const connection = isFirst && !this.whenEmpty ? this.find(borrower) : null
    if (connection) borrower.take(connection)
    else if (this.whenEmpty) borrower.refuse(new PgUnavailable('shutting down'))
    else if (this.isFull(borrower)) borrower.refuse(new PgUnavailable('pool exhausted'))
    else this.wait(borrower)
  }

  /** Who waits does not want any more. */
  withdraw(borrower: Borrower): void {
    const queue = this.waiting[borrower.purpose]
    clearTimeout(queue.get(borrower)?.timer)
    queue.delete(borrower)
  }

  /** @param expectedMs what it was lent for; null: to one alone */
  giveBack(connection: Connection, expectedMs: number | null): void {
    if (!this.all.has(connection)) return
    if (expectedMs !== null && connection.use === 'shared') {
      connection.expectedMs -= expectedMs
      connection.places -= 1
    }
    // a statement has left a transaction open, or another way to read and write texts: nobody else may have that connection
    if (!connection.wire.isClean) this.drop(connection)
    else if (connection.places > 0) this.serve()
    // of those that were passed over something may still come
    else if (connection.wire.head) connection.wire.onceDrained(() => this.giveBack(connection, null))
    else {
      this.takeOut(connection)
      connection.idleSince = performance.now()
      this.idle.push(connection)
      this.serve()
    }
  }

  /** Not to be used any more: whoever waits for an answer on it is told that it was not begun. */
  drop(connection: Connection): void {
    if (!this.all.delete(connection)) return
    this.takeOut(connection)
    connection.wire.passOver(0)
    this.leaving.add(connection)
    connection.end().then(() => {
      this.leaving.delete(connection)
      this.serve()
    })
    this.serve()
  }

  /** What is under way on it takes longer than expected: it has the connection alone from now on, and those behind it are told. */
  separate(connection: Connection, purpose: Purpose): void {
    this.takeOut(connection)
    this.lendWhole(connection, purpose)
    connection.wire.passOver(1)
  }

  sharedNow(): readonly Connection[] {
    return this.shared
  }

  /** Closes one that has not been needed for a while, and gives up what does not answer in time. */
  lookAfter(now: number): void {
    for (const { wire } of this.all) wire.giveUpIfLate(now)
    const [oldest] = this.idle
    if (oldest && now - oldest.idleSince > IDLE_LIMIT_MS) this.drop(oldest)
  }

  stats(): { readonly total: number; readonly idle: number; readonly waiting: number } {
    const { question, change, long } = this.waiting
    return { total: this.size(), idle: this.idle.length, waiting: Math.max(0, question.size + change.size + long.size - this.opening) }
  }

  /** Lends nothing more, and waits for what is lent. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.whenEmpty = resolve
      for (const queue of Object.values(this.waiting)) {
        for (const borrower of [...queue.keys()]) this.turnAway(borrower, new PgUnavailable('shutting down'))
      }
      this.serve()
    })
  }

  destroyAll(): void {
    for (const { wire } of [...this.all, ...this.leaving]) wire.destroy()
  }

  private find({ expectedMs, purpose }: Borrower): Connection | null {
    if (expectedMs !== null) {
      for (const connection of this.shared)
        if (connection.places < MOST_PLACES && connection.expectedMs + expectedMs <= MOST_EXPECTED_MS)
          return lendPlace(connection, expectedMs)
    } else if (this.left(purpose) === 0) return null
    const connection = this.idle.pop()
    if (!connection) return null
    if (expectedMs === null) return this.lendWhole(connection, purpose)
    connection.use = 'shared'
    this.shared.push(connection)
    return lendPlace(connection, expectedMs)
  }

  private lendWhole(connection: Connection, purpose: Purpose): Connection {
    connection.use = 'whole'
    connection.lentFor = purpose
    this.lent[purpose] += 1
    return connection
  }

  /** Out of every list; what it was lent for is over. */
  private takeOut(connection: Connection): void {
    if (connection.use === 'shared') this.shared.splice(this.shared.indexOf(connection), 1)
    if (connection.use === 'idle') {
      const at = this.idle.indexOf(connection)
      if (at >= 0) this.idle.splice(at, 1)
    }
    if (connection.lentFor) this.lent[connection.lentFor] -= 1
    connection.use = 'idle'
    connection.lentFor = null
    connection.places = 0
    connection.expectedMs = 0
  }

  private size(): number {
    return this.all.size + this.opening
  }

  /** How many more may be lent for it, alone. */
  private left(purpose: Purpose): number {
    const { mostHeld, mostLong } = this.options
    if (purpose === 'question') return Number.POSITIVE_INFINITY
    const held = mostHeld - this.lent.change - this.lent.long
    return Math.max(0, purpose === 'change' ? held : Math.min(held, mostLong - this.lent.long))
  }

  /** How many of those who wait could have a connection if there was one. */
  private servable(): number {
    const { question, change, long } = this.waiting
    return question.size + Math.min(change.size + Math.min(long.size, this.left('long')), this.left('change'))
  }

  /** Those who are about to be given a connection that is opened, or can be, do not wait. */
  private isFull({ purpose }: Borrower): boolean {
    const coming = this.options.mostConnections - this.all.size
    const waiting = purpose === 'question' ? this.servable() - coming : this.waiting[purpose].size - Math.min(coming, this.left(purpose))
    return waiting >= this.options.maxWaiting
  }

  private wait(borrower: Borrower): void {
    // with none open there is no telling whether there is a server
    const late = () => this.turnAway(borrower, new PgUnavailable(this.all.size > 0 ? 'pool exhausted' : 'unreachable'))
    const queue = this.waiting[borrower.purpose]
    queue.set(borrower, { timer: setTimeout(late, this.options.waitMs), turn: ++this.turns })
    borrower.waits?.()
    this.openAsNeeded()
  }

  private turnAway(borrower: Borrower, error: PgUnavailable): void {
    this.withdraw(borrower)
    borrower.refuse(error)
  }

  /** Whoever has waited longest and may have one. */
  private next(): Borrower | null {
    let next: readonly [Borrower, Waiting] | null = null
    for (const queue of [this.waiting.question, this.waiting.change, this.waiting.long]) {
      const [first] = queue
      if (!first || this.left(first[0].purpose) === 0) continue
      if (next === null || first[1].turn < next[1].turn) next = first
    }
    return next?.[0] ?? null
  }

  private serve(): void {
    // whoever takes one may give it back at once
    if (this.isServing) return
    this.isServing = true
    for (let borrower = this.next(); borrower; borrower = this.next()) {
      const connection = this.find(borrower)
      if (!connection) break
      this.withdraw(borrower)
      borrower.take(connection)
    }
    this.isServing = false
    if (this.whenEmpty) this.endIdle(this.whenEmpty)
    else this.openAsNeeded()
  }

  private endIdle(whenEmpty: () => void): void {
    const [connection] = this.idle
    if (connection) this.drop(connection)
    else if (this.size() + this.leaving.size === 0) whenEmpty()
  }

  private openAsNeeded(): void {
    while (this.size() < this.options.mostConnections && this.opening < this.servable()) this.open()
  }

  private open(): void {
    this.opening += 1
    this.options.open().then(
      (connection) => {
        this.opening -= 1
        this.all.add(connection)
        connection.wire.onceLost((error) => this.lost(connection, error))
        this.giveBack(connection, null)
      },
      (error) => {
        this.opening -= 1
        const borrower = this.next()
        if (borrower) this.turnAway(borrower, new PgUnavailable('unreachable', { cause: error }))
        this.serve()
      },
    )
  }

  private lost(connection: Connection, error: Error): void {
    if (!this.all.delete(connection)) return
    if (connection.use === 'idle') this.options.onIdleError(connection.wire.farewell ?? error)
    this.takeOut(connection)
    this.serve()
  }
}

function lendPlace(connection: Connection, expectedMs: number): Connection {
  connection.places += 1
  connection.expectedMs += expectedMs
  return connection
}
