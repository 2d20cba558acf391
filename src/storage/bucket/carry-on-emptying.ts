import { milliseconds } from '../../std/brand.ts'
import { askAsService } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import type { BucketId } from '../key.ts'
import { emptyingProgress, emptyingStep } from '../rows/emptyings.sql.ts'

/** Keys in one transaction, so that none is held open for long. */
const BATCH = 500

/** How long whoever is at work on a bucket may be silent before another process takes over; two at a time take turns and do no harm. */
export const PATIENCE = milliseconds(10_000)

const OBJECTS_A_REPORT = 10_000

/** Step by step, until nothing is left to do or `mostKeys` were looked at; true: nothing is left. */
export async function carryOnEmptying(
  deps: Pick<StorageDeps, 'asService' | 'observe'>,
  call: Pick<Call, 'settings'>,
  bucket: BucketId,
  mostKeys: number,
  signal: AbortSignal,
): Promise<boolean> {
  let reported: number | null = null
  for (let keys = 0; keys < mostKeys; keys += BATCH) {
    const [rows] = await askAsService(deps, call, [emptyingStep(bucket, BATCH, PATIENCE)], signal)
    const progress = emptyingProgress(rows?.[0])
    // somebody else has finished it
    if (!progress) return true
    const { removed, done } = progress
    reported ??= removed
    if (done || removed - reported >= OBJECTS_A_REPORT) {
      deps.observe({ kind: 'bucket emptied', bucket, objects: removed, done })
      reported = removed
    }
    if (done) return true
  }
  return false
}
