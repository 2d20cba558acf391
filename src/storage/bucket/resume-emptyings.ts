import type { Milliseconds } from '../../std/brand.ts'
import { askAsService, unhurried } from '../ask.ts'
import type { StorageDeps } from '../deps.ts'
import { askedBucketId, type BucketId } from '../key.ts'
import { dueEmptyings, forgetForeignEmptyings, postponeEmptying } from '../rows/emptyings.sql.ts'
import { storageSettings } from '../settings.ts'
import { carryOnEmptying } from './carry-on-emptying.ts'

export type ResumerDeps = Pick<StorageDeps, 'asService' | 'observe'> & {
  /** between two looks for buckets that nobody is at work on */
  readonly intervalMs: Milliseconds
}

export type Resumer = {
  readonly start: () => void
  /** ends what is under way after the statement at hand */
  readonly stop: () => Promise<void>
}

const AT_ONCE = 100

/** Finishes what a process that is gone has promised: buckets that were said to be emptied. */
export function createResumer({ asService, observe, intervalMs }: ResumerDeps): Resumer {
  const deps = { asService, observe }
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function resumeAll(): Promise<void> {
    const [foreign = [], due = []] = await askAsService(
      deps,
      SETTINGS_OF_NONE,
      [forgetForeignEmptyings(), dueEmptyings(AT_ONCE)],
      stopping.signal,
    )
    for (const [bucket] of foreign) observe({ kind: 'emptying failed', bucket: bucket ?? '', error: null })
    for (const [bucket] of due) {
      if (stopping.signal.aborted) return
      await resume(askedBucketId(bucket ?? ''))
    }
  }

  async function resume(bucket: BucketId): Promise<void> {
    const call = { settings: storageSettings('storage.bucket.empty', { method: 'POST', path: `/bucket/${bucket}/empty`, headers: {} }) }
    try {
      await carryOnEmptying(deps, call, bucket, Number.POSITIVE_INFINITY, stopping.signal)
    } catch (error) {
      if (stopping.signal.aborted) return
      observe({ kind: 'emptying failed', bucket, error })
      await askAsService(deps, call, [postponeEmptying(bucket)], unhurried())
    }
  }

  async function tick(): Promise<void> {
    try {
      await resumeAll()
    } catch (error) {
      if (!stopping.signal.aborted) observe({ kind: 'emptying failed', bucket: '', error })
    }
    if (!stopping.signal.aborted) schedule(intervalMs)
  }

  function schedule(afterMs: number): void {
    timer = setTimeout(() => {
      running = tick()
    }, afterMs)
    timer.unref()
  }

  return {
    start: () => schedule(0),
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}

/** Of statements that no policy or trigger of the owner's sees. */
const SETTINGS_OF_NONE = { settings: [] }
