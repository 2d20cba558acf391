import type { Milliseconds } from '../std/brand.ts'
import { PgCancelled, PgUnavailable } from './pg-error.ts'
import type { ScopedBatch } from './scoped-batch.ts'

type Run<Rows> = (batch: ScopedBatch, signal: AbortSignal) => Promise<Rows>

export type Share = {
  /** batches at once */
  readonly most: number
  /** how long one more waits for its turn */
  readonly waitMs: Milliseconds
  /** batches waiting at once; one more is refused */
  readonly maxWaiting: number
}

/**
 * The same, for work that may take long: whatever its number, the rest of the pool stays free for others.
 * @throws PgUnavailable `pool exhausted`, PgCancelled, as `run` does
 */
export function limitShare<Rows>(run: Run<Rows>, { most, waitMs, maxWaiting }: Share): Run<Rows> {
  let running = 0
  const waiting = new Set<() => void>()

  /** the place goes to whoever waits longest */
  const release = () => {
    const [next] = waiting
    if (next) next()
    else running -= 1
  }
  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (decide: () => void) => () => {
        waiting.delete(go)
        clearTimeout(late)
        signal.removeEventListener('abort', leave)
        decide()
      }
      const go = settle(resolve)
      const leave = settle(() => reject(new PgCancelled()))
      const late = setTimeout(
        settle(() => reject(new PgUnavailable('pool exhausted'))),
        waitMs,
      )
      signal.addEventListener('abort', leave, { once: true })
      waiting.add(go)
    })

  return async (batch, signal) => {
    if (running < most) running += 1
    else if (signal.aborted) throw new PgCancelled()
    else if (waiting.size >= maxWaiting) throw new PgUnavailable('pool exhausted')
    else await turn(signal)
    try {
      return await run(batch, signal)
    } finally {
      release()
    }
  }
}
