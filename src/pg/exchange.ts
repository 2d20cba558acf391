import type { PacketWriter } from './packet-writer.ts'
import { PgError, type PgErrorFields } from './pg-error.ts'
import type { Preamble } from './preamble.ts'
import type { PreparedNames } from './prepared-names.ts'
import type { Cell } from './scoped-batch.ts'

/** A statement and who runs it: PostgreSQL drops a plan that depends on row security when the role changes, so names are per role. */
export type Prepared = { readonly role: string; readonly statement: Preamble }

/** What has more is an insert of many objects: long, and of another text for each number of them. */
const MOST_VALUES = 500

/** So many times PostgreSQL plans a prepared statement for its values; from then on perhaps for any (manual, PREPARE). */
const PLANNED_FOR_VALUES = 5

/** A value of this length or more is handed on as the bytes it came as, where bytes will do. */
const LONG_VALUE_BYTES = 4_096

/** The connection was given up before PostgreSQL had come to it: nothing has happened. */
export class NotBegun extends Error {}

/** Who asked. */
export type Asker = {
  /** called once: with PostgreSQL's answer as a whole, or when there will be none */
  readonly settle: (exchange: Exchange, error: Error | null, rows: Rows) => void
  /** that it takes longer than those behind it may wait; of one who may share a connection */
  readonly outstay?: (exchange: Exchange) => void
}

export type Rows = readonly (readonly (readonly Cell[])[])[]

export type ExchangeOptions = {
  readonly batch: readonly Prepared[]
  /** the first statement whose rows are wanted */
  readonly rowsFrom: number
  /** long values as bytes, for whoever only hands them on */
  readonly asBytes: boolean
  /** milliseconds after which nobody waits for it any more */
  readonly deadlineMs?: number
  /** false: under no name, for what is asked rarely */
  readonly isPrepared?: boolean
  readonly asker: Asker
}

/**
 * Statements and one Sync in a single write; rows per statement back. Everything before a Sync is one implicit transaction
 * (PostgreSQL manual 55.2.4). The messages that answer it are told to `receive` in order.
 */
export class Exchange {
  private readonly options: ExchangeOptions
  private readonly rows: Cell[][][] = []
  private parsing: Prepared[] | null = null
  private names: PreparedNames | null = null
  private parsed = 0
  private at = 0
  private error: Error | null = null
  private done = false
  private readonly startedAt = performance.now()
  private begunAt = 0
  /** how long PostgreSQL has worked at it, as far as can be told from here: milliseconds */
  tookMs = 0
  /** PostgreSQL may have used a plan for any values */
  isForAny = false

  constructor(options: ExchangeOptions) {
    this.options = options
    for (let i = options.rowsFrom; i < options.batch.length; i++) this.rows.push([])
  }

  /** @param names null: prepare nothing, for poolers that cannot keep names */
  writeTo(writer: PacketWriter, names: PreparedNames | null): void {
    this.names = this.options.isPrepared === false ? null : names
    // those that the last exchange pushed out, and first of all: behind an error PostgreSQL would pass a Close over
    if (names) for (const name of names.takeEvicted()) writer.closeStatement(name)
    for (const [i, prepared] of this.options.batch.entries()) {
      const { values, planAnew } = prepared.statement
      // under no name PostgreSQL plans for these values
      const uses = this.writeStatement(writer, prepared, values.length <= MOST_VALUES && !planAnew ? this.names : null)
      if (i >= this.options.rowsFrom && uses > PLANNED_FOR_VALUES) this.isForAny = true
    }
    writer.sync()
  }

  /** Answers how often it has been used under its name, with this time. */
  private writeStatement(writer: PacketWriter, prepared: Prepared, names: PreparedNames | null): number {
    const { role, statement } = prepared
    const known = names?.find(role, statement.text)
    const named = known ?? names?.add(role, statement.text)
    const name = named?.name ?? ''
    if (!known) {
      this.parsing ??= []
      this.parsing.push(prepared)
      writer.parse(name, statement.text)
    }
    writer.bind(name, statement.values, statement.head)
    writer.execute()
    return named ? ++named.uses : 0
  }

  /**
   * Answers whether a part of `bytes` was handed on.
   * @param isKept whether `bytes` stay what they are
   */
  receive(type: number, bytes: Buffer, start: number, end: number, isKept: boolean): boolean {
    switch (type) {
      case DATA_ROW:
        return this.takeRow(bytes, start, isKept)
      case COMMAND_COMPLETE:
      case EMPTY_QUERY:
        this.at++
        return false
      case PARSE_COMPLETE:
        this.parsed++
        return false
      case ERROR_RESPONSE:
        this.refused(readError(bytes, start, end))
        return false
      case READY_FOR_QUERY:
        this.finish(this.error)
        return false
      default:
        return false
    }
  }

  /** From then on PostgreSQL works at it alone. */
  begin(at: number): void {
    this.begunAt = at
  }

  /** Its answer has arrived. */
  end(at: number): void {
    this.tookMs = Math.max(0, at - this.begunAt)
  }

  /** Milliseconds since it was begun; 0 while others are before it. */
  age(now: number): number {
    return this.begunAt === 0 ? 0 : now - this.begunAt
  }

  outstay(): void {
    this.options.asker.outstay?.(this)
  }

  isLate(now: number): boolean {
    return this.options.deadlineMs !== undefined && now - this.startedAt > this.options.deadlineMs
  }

  /** No answer will come, or no more of it: what PostgreSQL said last is the reason, if it said anything. */
  lose(error: Error): void {
    this.finish(this.error ?? error)
  }

  private takeRow(bytes: Buffer, start: number, isKept: boolean): boolean {
    const rows = this.rows[this.at - this.options.rowsFrom]
    if (!rows) return false
    const count = bytes.readUInt16BE(start)
    const row: Cell[] = []
    let isHandedOn = false
    for (let i = 0, at = start + 2; i < count; i++) {
      const length = bytes.readInt32BE(at)
      at += 4
      if (length < 0) row.push(null)
      else {
        const bytesWanted = this.options.asBytes && length >= LONG_VALUE_BYTES
        if (!bytesWanted) row.push(bytes.toString('utf8', at, at + length))
        else row.push(isKept ? bytes.subarray(at, at + length) : Buffer.from(bytes.subarray(at, at + length)))
        isHandedOn ||= bytesWanted && isKept
        at += length
      }
    }
    rows.push(row)
    return isHandedOn
  }

  private refused(fields: PgErrorFields): void {
    if (this.names && this.parsing)
      for (const { role, statement } of this.parsing.slice(this.parsed)) this.names.forget(role, statement.text)
    this.error = new PgError(fields, this.at)
  }

  private finish(error: Error | null): void {
    if (this.done) return
    this.done = true
    this.options.asker.settle(this, error, this.rows)
  }
}

/** An ErrorResponse's fields by their letters (PostgreSQL manual 55.8). */
export function readError(bytes: Buffer, start: number, end: number): PgErrorFields {
  const fields: { [letter: string]: string } = {}
  for (let at = start; at < end && bytes[at] !== 0; ) {
    const stop = bytes.indexOf(0, at + 1)
    fields[String.fromCharCode(bytes[at] ?? 0)] = bytes.toString('utf8', at + 1, stop)
    at = stop + 1
  }
  const { M: message = '', C: code, D: detail, H: hint, n: constraint, s: schema, t: table, c: column, R: routine } = fields
  return { message, code, detail, hint, constraint, schema, table, column, routine }
}

const PARSE_COMPLETE = 0x31
const COMMAND_COMPLETE = 0x43
const DATA_ROW = 0x44
const ERROR_RESPONSE = 0x45
const EMPTY_QUERY = 0x49
const READY_FOR_QUERY = 0x5a
