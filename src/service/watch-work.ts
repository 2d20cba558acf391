import type { Authenticate } from '../auth/authenticate.ts'
import type { RoleContext } from '../auth/role-context.ts'
import type { ByteStore } from '../bytes/byte-store.ts'
import { withObserver } from '../bytes/with-observer.ts'
import type { GraphqlRequest } from '../graphql/operation/operation.ts'
import type { PlanCache } from '../graphql/plan-cache.ts'
import { type ResolveDeps, type Resolved, resolve } from '../graphql/resolve.ts'
import type { Observe, TripObservation } from '../observe/observation.ts'
import type { Watch } from '../observe/watch.ts'
import { PgCancelled, PgError, PgUnavailable } from '../pg/pg-error.ts'
import type { RunForBytes, ScopedBatch } from '../pg/scoped-batch.ts'
import type { Connections } from './connections.ts'

/** How the parts of the service are watched: each by a wrapper that is there only when somebody looks. */
export type Watching = {
  readonly connections: (connections: Connections) => Connections
  readonly bytes: (store: ByteStore) => ByteStore
  readonly plans: (plans: PlanCache) => PlanCache
  readonly authenticate: (authenticate: Authenticate) => Authenticate
  readonly resolve: (deps: ResolveDeps, as: RoleContext, request: GraphqlRequest, signal: AbortSignal) => Promise<Resolved>
}

/** Nobody looks, and nothing is in the way. */
export const UNWATCHED: Watching = {
  connections: (connections) => connections,
  bytes: (store) => store,
  plans: (plans) => plans,
  authenticate: (authenticate) => authenticate,
  resolve,
}

export const watchWork = (watch: Watch, observe: Observe): Watching => ({
  connections: (connections) => {
    const { asCaller, asCallerAtLength, asService } = connections
    const watched = <T>(run: (batch: ScopedBatch, signal: AbortSignal) => Promise<T>) => {
      return (batch: ScopedBatch, signal: AbortSignal) =>
        trip(batch.as.role === 'service_role' ? 'service' : 'web', () => run(batch, signal))
    }
    const trip = <T>(login: TripObservation['login'], run: () => Promise<T>): Promise<T> =>
      watch.stage('database', async () => {
        try {
          const rows = await run()
          observe({ kind: 'trip', login, outcome: 'ok' })
          return rows
        } catch (error) {
          observe({ kind: 'trip', login, outcome: outcomeOf(error) })
          throw error
        }
      })
    return {
      ...connections,
      asCaller: watched(asCaller),
      asCallerAtLength: watched(asCallerAtLength),
      asService: (batch, signal) => trip('service', () => asService(batch, signal)),
    }
  },
  bytes: (store) =>
    withObserver(store, {
      timed: (work) => watch.stage('bytes', work),
      moved: (operation, bytes) => observe({ kind: 'store', operation, bytes }),
    }),
  plans: (plans) => ({
    ...plans,
    find: (schema, request) => {
      const found = plans.find(schema, request)
      observe({ kind: 'plan', cached: found !== null })
      return found
    },
  }),
  authenticate: (authenticate) =>
    Object.assign((token: string) => watch.stage('auth', () => authenticate(token)), { remembered: authenticate.remembered }),
  resolve: (deps, as, request, signal) => resolveWatched(watch, deps, as, request, signal),
})

/** Planning ends where the first trip begins; what a schema that moved on makes it plan anew is not told apart. */
async function resolveWatched(
  watch: Watch,
  deps: ResolveDeps,
  as: RoleContext,
  request: GraphqlRequest,
  signal: AbortSignal,
): Promise<Resolved> {
  const startedAt = performance.now()
  let isPlanned = false
  const planned = (failed: boolean) => {
    if (!isPlanned) watch.tell('plan', startedAt, failed)
    isPlanned = true
  }
  const run: RunForBytes = (batch, end) => {
    planned(false)
    return deps.run(batch, end)
  }
  try {
    return await resolve({ ...deps, run }, as, request, signal)
  } finally {
    planned(true)
  }
}

function outcomeOf(error: unknown): TripObservation['outcome'] {
  if (error instanceof PgUnavailable) return error.reason
  return error instanceof PgCancelled || !(error instanceof PgError) ? 'cancelled' : 'refused'
}
