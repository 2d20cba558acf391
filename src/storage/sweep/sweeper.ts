import type { ByteStore, VersionId } from '../../bytes/byte-store.ts'
import type { StoreMarker } from '../../bytes/store-marker.ts'
import type { StoreNote } from '../../bytes/store-note.ts'
import type { Statement } from '../../sqltext/sql.ts'
import { type Milliseconds, milliseconds } from '../../std/brand.ts'
import { countExpiredIntents, expireIntents, renewVersions } from '../rows/ledger.sql.ts'
import { countOutbox, endLease, findWork, foreseeRemovals, SCAN_LEASE, SWEEP_LEASE, takeLease } from '../rows/sweep.sql.ts'
import { type SeenDatabase, seenDatabase, whyNotTheSame } from './database-identity.ts'
import { type DrainReport, drainOutbox } from './drain-outbox.ts'
import type { InFlight } from './in-flight.ts'
import { type ScanReport, scanStore } from './scan-store.ts'
import { whyNotOurs } from './store-identity.ts'
import type { AsService, Run, SweepOptions } from './sweep-options.ts'

export type SweeperDeps = {
  readonly asService: AsService
  readonly bytes: ByteStore
  readonly marker: StoreMarker
  /** beside the bytes: the database as the last pass saw it */
  readonly note: StoreNote<SeenDatabase>
  readonly inFlight: InFlight
  /** a random UUID */
  readonly newId: () => string
  readonly options: SweepOptions
  readonly observe: (observation: SweepObservation) => void
}

export type SweepObservation =
  | { readonly kind: 'swept'; readonly report: SweepReport }
  | { readonly kind: 'sweep failed'; readonly error: unknown }

export type SweepReport = {
  /** why nothing was removed at all; null: the pass ran */
  readonly idle: string | null
  readonly dryRun: boolean
  /** reservations that ran out */
  readonly expired: number
  readonly outbox: DrainReport
  /** null: the store was not listed this time */
  readonly scan: ScanReport | null
  /** only in a dry run: what would be removed, at once or after its grace, at most a thousand */
  readonly foreseen: readonly Foreseen[] | null
}

export type Foreseen = { readonly version: VersionId; readonly why: string }

export type SweepOnce = {
  /** says what would happen, and changes nothing */
  readonly dryRun?: boolean
  /** list the store now, or not; otherwise when it is due */
  readonly scan?: boolean
  /** go beyond the share and the number of orphans: only ever a person's decision */
  readonly beyondLimits?: boolean
  /** the database was restored or moved on purpose: from now on it is the one that counts */
  readonly acceptDatabase?: boolean
}

export type Sweeper = {
  readonly start: () => void
  /** ends a pass that is under way */
  readonly stop: () => Promise<void>
  readonly sweepOnce: (options?: SweepOnce) => Promise<SweepReport>
}

const LEASE_LIFE = milliseconds(60_000)
const GIVE_BACK_LIMIT_MS = 2_000
const NOTHING: DrainReport = { removed: 0, postponed: 0, left: 0 }
const MOST_FORESEEN = 1_000
const LAST_NOTE_MS = 1_000

/**
 * Removes bytes that nobody can reach: one process at a time, in small steps, each of which may be repeated.
 * Versions in the outbox go; reservations that ran out join them; now and then the whole store is compared with the ledger.
 * Without the mark that ties the store to the database, or with a database that is another or older than the one that was seen last, nothing is
 * removed. A pass that finds nothing to do writes nothing.
 */
export function createSweeper(deps: SweeperDeps): Sweeper {
  const { asService, inFlight, marker, note, options } = deps
  const holder = deps.newId()
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()
  let isBelieved = false

  const run: Run = async (statements) => asService({ access: 'read write', end: 'commit', settings: [], statements }, stopping.signal)
  const number = async (statement: Statement) => Number((await run([statement]))[0]?.[0]?.[0] ?? 0)
  const takes = async (name: string, who: string, lifeMs: Milliseconds) => ((await run([takeLease(name, who, lifeMs)]))[0]?.length ?? 0) > 0
  /** also when stopping: the next process need not wait for the lease to end by itself, nor this one for a database that says nothing */
  const giveBack = (name: string, who: string) =>
    asService(
      { access: 'read write', end: 'commit', settings: [], statements: [endLease(name, who)] },
      AbortSignal.timeout(GIVE_BACK_LIMIT_MS),
    ).catch(() => undefined)
  const keepLease = () => takes(SWEEP_LEASE, holder, LEASE_LIFE)

  async function sweep({ dryRun = false, scan, beyondLimits = false, acceptDatabase = false }: SweepOnce): Promise<SweepReport> {
    const report = (more: Partial<SweepReport>): SweepReport => ({
      idle: null,
      dryRun,
      expired: 0,
      outbox: NOTHING,
      scan: null,
      foreseen: null,
      ...more,
    })
    const held = inFlight.versions()
    // before the database is asked how far it has come: another process may note a later place in between
    const before = acceptDatabase ? null : await note.read()
    const work = findWork(options.graceMs, options.readerGraceMs, options.scanIntervalMs)
    const [rows] = (await run([...(held.length > 0 ? [renewVersions(held)] : []), work])).slice(-1)
    const [storeId = null, hasOutbox, hasExpired, scanDue, cluster, table, position, heldUntil] = rows?.[0] ?? []
    const foreign = whyNotOurs(await marker.read(), storeId)
    if (foreign !== null) return report({ idle: foreign })
    const seen = seenDatabase(cluster, table, position)
    const another = whyNotTheSame(before, seen)
    if (another !== null) {
      // kept, since the database will have gone past the place some day
      if (before && before.refused === null && !dryRun) await note.write({ ...before, refused: another })
      return report({ idle: another })
    }

    const scanning = scan ?? scanDue === 't'
    if (heldUntil != null && !dryRun) return report({ idle: `removals are on hold until ${heldUntil}` })
    if (dryRun) {
      const [due] = await run([foreseeRemovals(options.graceMs, options.readerGraceMs, MOST_FORESEEN)])
      const foreseen = (due ?? []).map(([version, why]) => ({ version: version as VersionId, why: why ?? '' }))
      const foresee = (version: VersionId, why: string) => {
        if (foreseen.length < MOST_FORESEEN) foreseen.push({ version, why })
      }
      return report({
        expired: await number(countExpiredIntents(options.graceMs)),
        outbox: { ...NOTHING, left: await number(countOutbox()) },
        scan: scanning ? await scanStore({ ...deps, run }, { foresee, beyondLimits, goOn: async () => true }) : null,
        foreseen,
      })
    }
    isBelieved = true
    if (before === null) await note.write(seen)
    if (!scanning && hasOutbox !== 't' && hasExpired !== 't') return report({})
    if (!(await keepLease())) return report({ idle: 'another process is sweeping' })
    try {
      if (before !== null) await note.write(seen)
      const expired = await number(expireIntents(options.graceMs))
      const scanned = scanning ? await scanOnce(scan === true, beyondLimits) : null
      const outbox = await drainOutbox(
        { ...deps, run },
        { goOn: async () => !stopping.signal.aborted && (await isStillOurs(storeId)) && (await keepLease()) },
      )
      return report({ expired, scan: scanned, outbox })
    } finally {
      await giveBack(SWEEP_LEASE, holder)
    }
  }

  /** The disk may be gone in the middle of a pass, and then every removal would seem to succeed. */
  const isStillOurs = async (storeId: string | null) => whyNotOurs(await marker.read(), storeId) === null

  /** The next listing is due after the interval, or after the grace when this one left suspects to look at again. */
  async function scanOnce(asked: boolean, beyondLimits: boolean): Promise<ScanReport | null> {
    const looker = deps.newId()
    if (!(await takes(SCAN_LEASE, looker, options.scanIntervalMs)) && !asked) return null
    try {
      const scanned = await scanStore({ ...deps, run }, { foresee: null, beyondLimits, goOn: keepLease })
      const suspects = scanned.unknown - scanned.condemned
      if (scanned.refused === null && suspects > 0)
        await takes(SCAN_LEASE, looker, milliseconds(Math.min(options.graceMs, options.scanIntervalMs)))
      return scanned
    } catch (error) {
      await giveBack(SCAN_LEASE, looker)
      throw error
    }
  }

  /** How far the database has come, for whoever opens this store next; not worth waiting for a database that is gone. */
  async function noteLast(): Promise<void> {
    const before = await note.read()
    const work = findWork(options.graceMs, options.readerGraceMs, options.scanIntervalMs)
    const batch = { access: 'read write', end: 'commit', settings: [], statements: [work] } as const
    const [rows] = await asService(batch, AbortSignal.timeout(LAST_NOTE_MS))
    const [, , , , cluster, table, position] = rows?.[0] ?? []
    const seen = seenDatabase(cluster, table, position)
    if (whyNotTheSame(before, seen) === null) await note.write(seen)
  }

  /** One pass at a time in a process, too. */
  function sweepOnce(once: SweepOnce = {}): Promise<SweepReport> {
    const pass = running.then(() => sweep(once))
    running = pass.catch(() => undefined)
    return pass
  }

  async function tick(): Promise<void> {
    try {
      deps.observe({ kind: 'swept', report: await sweepOnce() })
    } catch (error) {
      if (!stopping.signal.aborted) deps.observe({ kind: 'sweep failed', error })
    }
    if (!stopping.signal.aborted) schedule()
  }

  function schedule(): void {
    timer = setTimeout(tick, options.intervalMs)
    timer.unref()
  }

  return {
    start: schedule,
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running
      if (isBelieved) await noteLast().catch(() => undefined)
    },
    sweepOnce,
  }
}
