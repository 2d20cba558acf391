import type { Statement } from '../sqltext/sql.ts'
import type { Milliseconds } from '../std/brand.ts'
import type { Connection } from './connection.ts'
import { type Asker, Exchange, type Rows } from './exchange.ts'
import type { Borrower, Lender } from './lender.ts'
import { isRefusal, lostConnection } from './pg-error.ts'
import type { Row } from './scoped-batch.ts'

/** A statement as the login itself, outside any scope, on its way through a pool. */
export class AskedAlone implements Borrower, Asker {
  readonly expectedMs = null
  readonly purpose = 'question'
  private readonly lender: Lender
  private readonly statement: Statement
  private readonly limitMs: Milliseconds
  private readonly resolve: (rows: readonly Row[]) => void
  private connection: Connection | null = null
  private late: NodeJS.Timeout | undefined
  private isLate = false
  readonly refuse: (error: Error) => void

  constructor(
    lender: Lender,
    statement: Statement,
    limitMs: Milliseconds,
    resolve: (rows: readonly Row[]) => void,
    reject: (error: Error) => void,
  ) {
    this.lender = lender
    this.statement = statement
    this.limitMs = limitMs
    this.resolve = resolve
    this.refuse = reject
  }

  take(connection: Connection): void {
    this.connection = connection
    this.late = setTimeout(() => {
      this.isLate = true
      connection.wire.destroy()
    }, this.limitMs)
    connection.wire.send(
      new Exchange({
        batch: [{ role: '', statement: this.statement }],
        rowsFrom: 0,
        asBytes: false,
        isPrepared: false,
        asker: this,
      }),
    )
  }

  settle(_: Exchange, error: Error | null, [rows = []]: Rows): void {
    clearTimeout(this.late)
    if (!this.connection) return
    if (!error || isRefusal(error)) this.lender.giveBack(this.connection, null)
    else this.lender.drop(this.connection)
    if (!error) this.resolve(rows as readonly Row[])
    else this.refuse(isRefusal(error) ? error : lostConnection(error, this.isLate))
  }
}
