import type { Statement } from '../sqltext/sql.ts'
import { PgCancelled, PgError, type PgErrorFields, PgUnavailable } from './pg-error.ts'
import type { ScopedBatch } from './scoped-batch.ts'
import type { ReplicaWatch } from './watch-replica.ts'
import type { Written } from './written.ts'

export type RouteReadsDeps = {
  readonly written: Written
  readonly watch: ReplicaWatch
}

/** Runs a batch; what it answers for each statement is its own affair. */
type Run<Rows> = (batch: ScopedBatch, signal: AbortSignal) => Promise<readonly Rows[]>

/** Which transaction this was; null: it wrote nothing. */
const WHICH: Statement = { text: '/* replica.which */ select pg_current_xact_id_if_assigned()', values: [] }

/**
 * Divides by zero where a transaction is not there yet, and fails likewise where its number was never heard of. `committed` is answered only
 * when a snapshot taken from now on shows it, also during recovery; null, for one that is long past, lets pass.
 */
const fence = (xids: readonly bigint[]): Statement => ({
  text: `/* replica.fence */ select 1 / bool_and(coalesce(pg_xact_status(x) = 'committed', true))::int from unnest($1::xid8[]) as x`,
  values: [`{${xids.join(',')}}`],
})

const STATEMENT_TIMEOUT = '57014'

/**
 * The same as `primary`, but batches that may lag are answered by `replica`, if it shows what their caller has written. Whatever goes wrong
 * there is asked of the primary again, since a copy that is behind fails in many ways: only a statement that ran into its time limit is not.
 */
export function routeReads<Rows extends readonly (readonly unknown[])[]>(
  primary: Run<Rows>,
  replica: Run<Rows>,
  { written, watch }: RouteReadsDeps,
): Run<Rows> {
  async function read(batch: ScopedBatch, signal: AbortSignal): Promise<readonly Rows[] | null> {
    const usable = watch.usable()
    const after = written.mustSee(batch.as)
    if (usable === null || after === 'unknown') return null
    const before = after.length === 0 ? [] : [fence(after)]
    // by hand: AbortSignal.any leaves something of every reading with the signal that lives long
    const either = new AbortController()
    const abort = () => either.abort()
    for (const one of [signal, usable]) one.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    try {
      const rows = await replica({ ...batch, statements: [...before, ...batch.statements] }, either.signal)
      if (after.length > 0) written.seen(batch.as, after)
      return rows.slice(before.length)
    } catch (error) {
      if (signal.aborted) throw error
      if (error instanceof PgError && error.sqlstate === STATEMENT_TIMEOUT && error.statement >= before.length)
        throw new PgError(error.cause as PgErrorFields, error.statement - before.length)
      if (error instanceof PgUnavailable && error.reason !== 'pool exhausted') watch.distrust('it does not answer')
      return null
    } finally {
      for (const one of [signal, usable]) one.removeEventListener('abort', abort)
    }
  }

  async function write(batch: ScopedBatch, signal: AbortSignal): Promise<readonly Rows[]> {
    const who = batch.behalf ?? batch.as
    try {
      const rows = await primary({ ...batch, statements: [...batch.statements, WHICH] }, signal)
      const xid = rows.at(-1)?.[0]?.[0]
      if (xid != null) written.note(who, BigInt(String(xid)))
      return rows.slice(0, -1)
    } catch (error) {
      if (error instanceof PgUnavailable || error instanceof PgCancelled) written.doubt(who)
      throw error
    }
  }

  return async (batch, signal) => {
    if (batch.mayLag) return (await read(batch, signal)) ?? primary(batch, signal)
    return batch.access === 'read write' && batch.end === 'commit' ? write(batch, signal) : primary(batch, signal)
  }
}
