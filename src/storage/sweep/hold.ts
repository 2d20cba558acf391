import type { Milliseconds } from '../../std/brand.ts'
import { milliseconds } from '../../std/brand.ts'
import { endHold, endLease, SWEEP_LEASE, setHold, takeLease } from '../rows/sweep.sql.ts'
import type { Run } from './sweep-options.ts'

export type HoldDeps = {
  readonly run: Run
  /** a random UUID */
  readonly newId: () => string
  readonly sleep: (ms: number) => Promise<void>
}

const LEASE_LIFE = milliseconds(60_000)
const LOOK_AGAIN_MS = 250
/** A pass that is under way ends within its lease, or is dead and its lease ends. */
const LOOKS = (LEASE_LIFE * 1.5) / LOOK_AGAIN_MS

/**
 * From when this resolves until the hold ends, no process removes bytes: for a backup, whose rows must find their versions when the bytes are
 * copied behind them. Answers when it ends, as the database writes it; null: a pass of another process did not end.
 */
export async function holdRemovals({ run, newId, sleep }: HoldDeps, lifeMs: Milliseconds): Promise<string | null> {
  const holder = newId()
  for (let look = 0; look < LOOKS; look++) {
    const [taken] = await run([takeLease(SWEEP_LEASE, holder, LEASE_LIFE)])
    if ((taken?.length ?? 0) > 0) {
      const [until] = await run([setHold(holder, lifeMs), endLease(SWEEP_LEASE, holder)])
      return until?.[0]?.[0] ?? null
    }
    await sleep(LOOK_AGAIN_MS)
  }
  return null
}

/** Ends every hold; answers whether there was one. */
export async function releaseRemovals({ run }: Pick<HoldDeps, 'run'>): Promise<boolean> {
  const [ended] = await run([endHold()])
  return (ended?.length ?? 0) > 0
}
