import type { LogMessage } from '../observe/log-messages.ts'
import type { Observe } from '../observe/observation.ts'
import type { Milliseconds } from '../std/brand.ts'

/** A process that serves, as whoever started it sees it. */
export type Worker = {
  readonly pid: number
  /** rejects with why it cannot serve, also when it ends before it does */
  readonly ready: Promise<void>
  /** settles when the process is gone: how it ended, in words */
  readonly ended: Promise<string>
  /** asks it to finish its requests and leave */
  readonly stop: () => void
  readonly kill: () => void
}

export type CrewDeps<W extends Worker> = {
  readonly size: number
  readonly start: () => W
  /** how long a worker that was asked to leave may take */
  readonly patienceMs: Milliseconds
  readonly observe: Observe
}

export type Crew<W extends Worker> = {
  /** those that should serve, each in its place */
  readonly workers: () => readonly W[]
  /** one after the other is replaced by a new one, which serves before the old one leaves; false: a new one could not serve, so the rest stays */
  readonly replaceAll: () => Promise<boolean>
  /** asks all to leave, and waits */
  readonly stop: () => Promise<void>
}

type Place<W> = { worker: W; startedAt: number; failures: number; timer: NodeJS.Timeout | undefined }

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 10_000
/** One that served for so long did not fail because it cannot start. */
const STEADY_MS = 60_000

/**
 * Keeps `size` workers serving: one that ends by itself is started again, at once the first time, later and later while it fails.
 * @throws whatever kept the first ones from serving, after all were told to leave
 */
export async function startCrew<W extends Worker>({ size, start, patienceMs, observe }: CrewDeps<W>): Promise<Crew<W>> {
  let stopping = false
  let replacing: Promise<boolean> | null = null
  const places: Place<W>[] = []

  const note = (message: LogMessage, details: Readonly<Record<string, string | number>>) =>
    observe({ kind: 'note', level: 'info', message, details })

  function fill(place: Place<W>): void {
    place.worker = start()
    place.startedAt = performance.now()
    watch(place, place.worker)
  }

  function watch(place: Place<W>, worker: W): void {
    worker.ready.catch(() => undefined)
    void worker.ended.then((how) => {
      if (stopping || place.worker !== worker) return
      place.failures = performance.now() - place.startedAt > STEADY_MS ? 0 : place.failures + 1
      const waitMs = place.failures === 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (place.failures - 1))
      observe({ kind: 'failure', message: 'a worker ended and is started again', error: null, details: { pid: worker.pid, how, waitMs } })
      place.timer = setTimeout(() => stopping || place.worker !== worker || fill(place), waitMs)
    })
  }

  async function leave(worker: Worker): Promise<void> {
    worker.stop()
    const late = setTimeout(() => {
      observe({ kind: 'failure', message: 'a worker did not leave and is killed', error: null, details: { pid: worker.pid } })
      worker.kill()
    }, patienceMs)
    await worker.ended
    clearTimeout(late)
  }

  async function replaceOne(place: Place<W>): Promise<boolean> {
    const next = start()
    try {
      await next.ready
    } catch (error) {
      observe({ kind: 'failure', message: 'a new worker cannot serve, so the old ones stay', error })
      await leave(next)
      return false
    }
    if (stopping) {
      await leave(next)
      return false
    }
    const old = place.worker
    clearTimeout(place.timer)
    Object.assign(place, { worker: next, startedAt: performance.now(), failures: 0 })
    watch(place, next)
    await leave(old)
    note('a worker was replaced', { pid: old.pid, by: next.pid })
    return true
  }

  async function replaceEach(): Promise<boolean> {
    for (const place of places) if (stopping || !(await replaceOne(place))) return false
    return true
  }

  async function stop(): Promise<void> {
    stopping = true
    for (const { timer } of places) clearTimeout(timer)
    await Promise.all(places.map(({ worker }) => leave(worker)))
    await replacing?.catch(() => undefined)
  }

  for (let i = 0; i < size; i += 1) {
    const worker = start()
    const place: Place<W> = { worker, startedAt: performance.now(), failures: 0, timer: undefined }
    places.push(place)
    worker.ready.catch(() => undefined)
  }
  try {
    await Promise.all(places.map(({ worker }) => worker.ready))
  } catch (error) {
    await stop()
    throw error
  }
  for (const place of places) watch(place, place.worker)
  return {
    workers: () => places.map(({ worker }) => worker),
    replaceAll: () => {
      replacing ??= replaceEach().finally(() => {
        replacing = null
      })
      return replacing
    },
    stop,
  }
}
