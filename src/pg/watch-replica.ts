import type { Statement } from '../sqltext/sql.ts'
import type { Milliseconds } from '../std/brand.ts'
import type { Row } from './scoped-batch.ts'

type Query = (statement: Statement) => Promise<readonly Row[]>

export type ReplicaWatch = {
  /** aborted when the copy must not be asked any more; null while it must not */
  readonly usable: () => AbortSignal | null
  /** a connection to it failed: not used until it was looked at again */
  readonly distrust: (why: string) => void
  readonly stop: () => void
}

export type WatchReplicaDeps = {
  readonly primary: Query
  readonly replica: Query
  readonly maxLagMs: Milliseconds
  readonly everyMs: Milliseconds
  /** null: it is used from now on; otherwise why not */
  readonly onChange: (why: string | null) => void
}

const PRIMARY: Statement = {
  text: `/* replica.primary */ select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text, stowage.cluster_id()`,
  values: [],
}
const REPLICA: Statement = {
  text: `/* replica.replica */ select pg_wal_lsn_diff(coalesce(pg_last_wal_replay_lsn(), '0/0'), '0/0')::text, stowage.cluster_id(), pg_is_in_recovery()`,
  values: [],
}

/**
 * Looks at both servers now and then. The lag is the age of the oldest position of the primary that the copy has not replayed: unlike the
 * time of its last transaction it does not grow while nothing is written. A primary that does not answer is no reason against the copy.
 */
export function watchReplica({ primary, replica, maxLagMs, everyMs, onChange }: WatchReplicaDeps): ReplicaWatch {
  let using: AbortController | null = null
  let told: string | null | undefined
  let stopped = false
  let positions: readonly { readonly at: number; readonly lsn: bigint }[] = []
  /** undefined: the primary has not told yet; null: it does not tell */
  let cluster: string | null | undefined

  const set = (why: string | null) => {
    if (stopped) return
    if (why === null) using ??= new AbortController()
    else {
      using?.abort()
      using = null
    }
    if (why !== told) onChange(why)
    told = why
  }

  async function look(): Promise<void> {
    const at = performance.now()
    const [ours, theirs] = await Promise.all([within(primary(PRIMARY), everyMs), within(replica(REPLICA), everyMs)])
    if (ours) {
      positions = [...positions, { at, lsn: BigInt(ours[0]?.[0] ?? '0') }]
      cluster = ours[0]?.[1] ?? null
    }
    if (!theirs) return set('it does not answer')
    const [replayed, itsCluster, isStandby] = theirs[0] ?? []
    positions = positions.filter(({ lsn }) => lsn > BigInt(replayed ?? '0'))
    if (isStandby !== 't') return set('it is no standby')
    if (cluster === undefined) return using ? undefined : set('the primary does not answer')
    if ((itsCluster ?? null) !== cluster) return set('it is a copy of another database')
    const lagMs = performance.now() - (positions[0]?.at ?? performance.now())
    return set(lagMs > maxLagMs ? 'it is too far behind' : null)
  }

  let timer: NodeJS.Timeout
  const tick = async () => {
    await look()
    if (stopped) return
    timer = setTimeout(tick, everyMs)
    timer.unref()
  }
  timer = setTimeout(tick, 0)
  return {
    usable: () => using?.signal ?? null,
    distrust: set,
    stop: () => {
      stopped = true
      clearTimeout(timer)
      using?.abort()
      using = null
    },
  }
}

/** null: it failed, or took too long */
async function within(answer: Promise<readonly Row[]>, limitMs: number): Promise<readonly Row[] | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), limitMs)
  })
  try {
    return await Promise.race([answer.catch(() => null), late])
  } finally {
    clearTimeout(timer)
  }
}
