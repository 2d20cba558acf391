import { setTimeout as sleep } from 'node:timers/promises'
import type { UnreadyReason } from '../http/admin/health.ts'
import { PgError } from '../pg/pg-error.ts'
import type { PgPool } from '../pg/pool.ts'
import { singleFlight } from '../std/single-flight.ts'

export type ReadinessDeps = {
  readonly phase: () => 'starting' | 'serving' | 'draining'
  readonly query: PgPool['query']
  /** the mark beside the bytes; null when there is none */
  readonly readMark: () => Promise<string | null>
  /** the last migration of this release */
  readonly lastMigration: string
  /** for all questions together */
  readonly limitMs: number
  /** how long an answer of the store is believed: it may be far away, and every question has its price */
  readonly markLifeMs: number
}

/**
 * Why the service should not be given requests; nothing: it should. The database must answer, be the one of this release (and not, say, an
 * older one restored under the service), and be the one whose bytes are in the store.
 */
export function createReadiness(deps: ReadinessDeps): () => Promise<readonly UnreadyReason[]> {
  const { phase, query, readMark, lastMigration, limitMs, markLifeMs } = deps
  let mark: { readonly value: string | null; readonly at: number } | null = null

  const markNow = async (): Promise<string | null> => {
    if (mark && mark.value !== null && performance.now() - mark.at < markLifeMs) return mark.value
    mark = { value: await readMark(), at: performance.now() }
    return mark.value
  }

  const look = singleFlight(async (): Promise<readonly UnreadyReason[]> => {
    const ended = new AbortController()
    const late = sleep(limitMs, 'late' as const, { signal: ended.signal, ref: false }).catch(() => 'late' as const)
    const database = query({
      text: '/* health.ask */ select stowage.has_migration($1::text), (select store_id from stowage.store_marker)',
      values: [lastMigration],
    }).then(
      ([row]) => ({ migrated: row?.[0] === 't', storeId: row?.[1] ?? null }),
      (error) => (error instanceof PgError ? ('foreign' as const) : ('away' as const)),
    )
    const store = markNow().catch(() => null)
    try {
      const [known, marked] = await Promise.all([Promise.race([database, late]), Promise.race([store, late])])
      const reasons: UnreadyReason[] = []
      if (known === 'away' || known === 'late') reasons.push('database')
      else if (known === 'foreign' || !known.migrated) reasons.push('migrations')
      const storeId = typeof known === 'object' ? known.storeId : marked
      if (marked === null || marked === 'late' || marked !== storeId) reasons.push('store')
      return reasons
    } finally {
      ended.abort()
    }
  })

  return async () => {
    const now = phase()
    return now === 'serving' ? look('now') : [now]
  }
}
