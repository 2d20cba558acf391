import { setMaxListeners } from 'node:events'
import type { Observe } from '../observe/observation.ts'

/** Work that goes on after its answer was sent. */
export type Background = {
  readonly run: (what: string, work: (signal: AbortSignal) => Promise<void>) => void
  /** tells all work to end and waits for it */
  readonly stop: () => Promise<void>
}

export function createBackground(observe: Observe): Background {
  const stopping = new AbortController()
  // as many as there is work
  setMaxListeners(0, stopping.signal)
  const running = new Set<Promise<void>>()
  return {
    run: (what, work) => {
      const ended = work(stopping.signal)
        .catch((error) => {
          if (!stopping.signal.aborted) observe({ kind: 'failure', message: 'background work failed', error, details: { what } })
        })
        .finally(() => running.delete(ended))
      running.add(ended)
    },
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
