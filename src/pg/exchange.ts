import { LRUCache } from 'lru-cache'
import type { Statement } from '../sqltext/sql.ts'
import { PgError, type PgErrorFields } from './pg-error.ts'
import type { Row } from './scoped-batch.ts'

/** The part of pg's Connection that a Submittable writes to. */
export type Wire = {
  readonly stream: { cork(): void; uncork(): void; destroy(): void }
  parse(query: { name: string; text: string; types: number[] }): void
  bind(config: { portal: string; statement: string; values: readonly (string | null)[]; valueMapper: (value: unknown) => unknown }): void
  execute(config: { portal: string; rows: number }): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
  on(event: 'parseComplete' | 'parameterStatus', listener: () => void): void
}

/** A statement and who runs it: PostgreSQL drops a plan that depends on row security when the role changes, so names are per role. */
export type Prepared = { readonly role: string; readonly statement: Statement }

/** What one connection has prepared. Bounded: the least recently used is closed on the server too. */
export class PreparedNames {
  private readonly byRole = new Map<string, LRUCache<string, string>>()
  private readonly maxPerRole: number
  private counter = 0
  private evicted: string[] = []

  constructor(maxPerRole: number) {
    this.maxPerRole = maxPerRole
  }

  find(role: string, text: string): string | undefined {
    return this.byRole.get(role)?.get(text)
  }

  add(role: string, text: string): string {
    let names = this.byRole.get(role)
    if (!names) {
      names = new LRUCache<string, string>({
        max: this.maxPerRole,
        dispose: (name, _text, why) => why === 'evict' && this.evicted.push(name),
      })
      this.byRole.set(role, names)
    }
    const name = `s${++this.counter}`
    names.set(text, name)
    return name
  }

  forget(role: string, text: string): void {
    this.byRole.get(role)?.delete(text)
  }

  forgetAll(): void {
    for (const names of this.byRole.values()) this.evicted.push(...names.values())
    this.byRole.clear()
  }

  takeEvicted(): readonly string[] {
    if (this.evicted.length === 0) return []
    const names = this.evicted
    this.evicted = []
    return names
  }
}

/** `null` as names: prepare nothing, for poolers that cannot keep names. */
export type WireState = { readonly names: PreparedNames | null; current: Exchange | null }

const asIs = (value: unknown): unknown => value
const NO_TYPES: number[] = []

/**
 * Statements and one Sync in a single write; rows per statement back. Everything before a Sync is one implicit transaction
 * (PostgreSQL manual 55.2.4). A Submittable of pg: the client calls `submit` when the connection is ready, then the handlers.
 */
export class Exchange {
  private readonly state: WireState
  private readonly batch: readonly Prepared[]
  private readonly settle: (error: Error | null, rows: readonly (readonly Row[])[]) => void
  private readonly rows: Row[][] = [[]]
  private readonly parsing: Prepared[] = []
  private parsed = 0
  private at = 0
  private done = false
  /** false while pg holds it back: the connection's last answer is not complete yet */
  isSent = false
  readonly startedAt = performance.now()

  constructor(state: WireState, batch: readonly Prepared[], settle: (error: Error | null, rows: readonly (readonly Row[])[]) => void) {
    this.state = state
    this.batch = batch
    this.settle = settle
  }

  submit(wire: Wire): void {
    this.state.current = this
    this.isSent = true
    wire.stream.cork()
    // those that the last exchange pushed out, and first of all: behind an error PostgreSQL would pass a Close over
    for (const name of this.state.names?.takeEvicted() ?? []) wire.close({ type: 'S', name })
    for (const prepared of this.batch) this.send(wire, prepared)
    wire.sync()
    wire.stream.uncork()
  }

  private send(wire: Wire, prepared: Prepared): void {
    const { role, statement } = prepared
    const names = this.state.names
    let name = names?.find(role, statement.text)
    if (name === undefined) {
      name = names ? names.add(role, statement.text) : ''
      this.parsing.push(prepared)
      wire.parse({ name, text: statement.text, types: NO_TYPES })
    }
    wire.bind({ portal: '', statement: name, values: statement.values, valueMapper: asIs })
    wire.execute({ portal: '', rows: 0 })
  }

  handleParseComplete(): void {
    this.parsed++
  }

  handleDataRow(message: { fields: Row }): void {
    this.rows[this.at]?.push(message.fields)
  }

  handleCommandComplete(): void {
    this.at++
    if (this.at < this.batch.length) this.rows.push([])
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }

  /** After an error pg forgets the query and waits for ReadyForQuery itself. */
  handleError(error: Error): void {
    if (this.state.names) for (const { role, statement } of this.parsing.slice(this.parsed)) this.state.names.forget(role, statement.text)
    const fields = error as Error & PgErrorFields
    this.finish(typeof fields.code === 'string' && fields.code.length === 5 && 'severity' in fields ? new PgError(fields, this.at) : error)
  }

  handleReadyForQuery(): void {
    this.finish(null)
  }

  handleRowDescription(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}

  private finish(error: Error | null): void {
    if (this.done) return
    this.done = true
    this.state.current = null
    this.settle(error, this.rows)
  }
}
