import { setTimeout as sleep } from 'node:timers/promises'
import { isMissingObject } from '../pg/pg-error.ts'
import { singleFlight } from '../std/single-flight.ts'
import { extensionMissing } from './extension-missing.ts'
import type { Catalog } from './model.ts'

/** The catalog as last reflected, and a way to have a newer one. */
export type CatalogCache = {
  readonly current: () => Catalog | Promise<Catalog>
  /** a catalog that is not `stale`: reflects, unless another request already did */
  readonly after: (stale: Catalog) => Promise<Catalog>
}

const RETRY_MS = 50

/**
 * Reflects once for however many requests wait. Between an owner's `drop extension` and `create extension` it waits and tries again
 * for `patienceMs`; after that the answer is that the extension is missing.
 */
export function createCatalogCache(deps: {
  readonly reflect: () => Promise<Catalog>
  readonly patienceMs: number
  readonly onReflected?: (catalog: Catalog, ms: number) => void
}): CatalogCache {
  let known: Catalog | null = null
  let missingSince: number | null = null

  const reload = singleFlight(async () => {
    const startedAt = performance.now()
    for (;;) {
      try {
        known = await deps.reflect()
        missingSince = null
        deps.onReflected?.(known, performance.now() - startedAt)
        return known
      } catch (error) {
        if (!isMissingObject(error)) throw error
        // counted from the first request that missed it: once it is gone for good, no request waits
        missingSince ??= performance.now()
        if (performance.now() - missingSince >= deps.patienceMs) throw extensionMissing(error)
        await sleep(RETRY_MS)
      }
    }
  })

  return {
    current: () => known ?? reload('catalog'),
    after: async (stale) => (known && known !== stale ? known : await reload('catalog')),
  }
}
