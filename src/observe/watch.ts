import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import type { Observe, RequestObservation, Stage } from './observation.ts'

/** The trace of one request, by whatever keeps traces. Times are `performance.now()`. */
export type RequestTrace = {
  readonly stage: (stage: Stage, startedAt: number, endedAt: number, failed: boolean) => void
  readonly end: (outcome: RequestOutcome) => void
}

export type RequestOutcome = Pick<RequestObservation, 'id' | 'route' | 'status' | 'role' | 'aborted'>

export type Traces = {
  readonly start: (method: string, headers: IncomingHttpHeaders) => RequestTrace
  /** sends what waits */
  readonly end: () => Promise<void>
}

/** What is known of a request while it runs. */
export type RequestScope = { readonly stages: Map<Stage, number>; readonly trace: RequestTrace | null }

export type Watch = {
  /** does the work and tells how long it took */
  readonly stage: <T>(stage: Stage, work: () => Promise<T>) => Promise<T>
  /** tells of work that began at `startedAt` and ends now */
  readonly tell: (stage: Stage, startedAt: number, failed: boolean) => void
  /** null: nobody wants to know which request a stage belongs to */
  readonly requests: RequestWatch | null
}

export type RequestWatch = {
  readonly open: (method: string, headers: IncomingHttpHeaders) => RequestScope
  /** what is called from `next` on belongs to the request */
  readonly run: (scope: RequestScope, next: () => void) => void
}

/**
 * Times the stages of requests. To know whose stage it is costs more than to count it, so that is done only for those who ask: traces,
 * and the header Server-Timing.
 */
export function createWatch(deps: { readonly observe: Observe; readonly traces: Traces | null; readonly perRequest: boolean }): Watch {
  const { observe, traces } = deps
  const scopes = deps.perRequest || traces !== null ? new AsyncLocalStorage<RequestScope>() : null

  const tell = (stage: Stage, startedAt: number, failed: boolean, scope = scopes?.getStore()) => {
    const endedAt = performance.now()
    observe({ kind: 'stage', stage, ms: endedAt - startedAt, failed })
    if (!scope) return
    scope.stages.set(stage, (scope.stages.get(stage) ?? 0) + endedAt - startedAt)
    scope.trace?.stage(stage, startedAt, endedAt, failed)
  }

  return {
    tell,
    stage: async (stage, work) => {
      const startedAt = performance.now()
      const scope = scopes?.getStore()
      let failed = true
      try {
        const done = await work()
        failed = false
        return done
      } finally {
        tell(stage, startedAt, failed, scope)
      }
    },
    requests: scopes && {
      open: (method, headers) => ({ stages: new Map(), trace: traces?.start(method, headers) ?? null }),
      run: (scope, next) => scopes.run(scope, next),
    },
  }
}

/** The stages and the whole as the header Server-Timing has them (W3C Server Timing); milliseconds. */
export function serverTiming({ stages }: RequestScope, ms: number): string {
  return [...stages, ['total', ms] as const].map(([name, took]) => `${name};dur=${took.toFixed(1)}`).join(', ')
}
