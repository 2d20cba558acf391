import type { ByteStore, VersionId } from '../../bytes/byte-store.ts'
import { classifyStored, condemnSuspects, countVersions, recordSuspects, suspectedSince } from '../rows/sweep.sql.ts'
import type { Run, SweepOptions } from './sweep-options.ts'

export type ScanReport = {
  /** versions in the store */
  readonly stored: number
  /** objects whose bytes the listing did not show, as far as counting tells; uploads and deletions meanwhile blur it */
  readonly missing: number
  /** versions in the store that nothing answers for */
  readonly unknown: number
  /** of these, how many were unknown a grace ago already, and are now in the outbox */
  readonly condemned: number
  /** why none was condemned; null: nothing spoke against it */
  readonly refused: string | null
}

export type ScanOnce = {
  /** not null: nothing is changed, and it hears of each unknown version and why it is one */
  readonly foresee: ((version: VersionId, why: string) => void) | null
  readonly beyondLimits: boolean
  readonly goOn: () => Promise<boolean>
}

export type ScanDeps = {
  readonly run: Run
  readonly bytes: ByteStore
  readonly options: SweepOptions
}

const PAGE = 1000
const ALWAYS_ALLOWED = 10

/**
 * The second net, for what a lost reservation, a restored database or a switched-off trigger left behind: compares what is stored with
 * what the database knows. It trusts neither side: a version must be unknown in two listings a grace apart, the store must hold nearly
 * all that it should, and only few may be unknown.
 */
export async function scanStore({ run, bytes, options }: ScanDeps, { foresee, beyondLimits, goOn }: ScanOnce): Promise<ScanReport> {
  const count = async () => (await run([countVersions()]))[0]?.[0] ?? []
  const [countedBefore, began] = await count()
  const before = Number(countedBefore)
  const allowed = beyondLimits
    ? Number.POSITIVE_INFINITY
    : Math.min(options.maxOrphans, Math.max(ALWAYS_ALLOWED, Math.floor(before * options.maxOrphanShare)))
  const seen = { stored: 0, current: 0, unknown: 0 }
  const report = (refused: string | null, condemned = 0, after = before): ScanReport => ({
    stored: seen.stored,
    missing: Math.max(0, Math.min(before, after) - seen.current),
    unknown: seen.unknown,
    condemned,
    refused,
  })

  for (let after: VersionId | null = null, atEnd = false; !atEnd; ) {
    const page: readonly VersionId[] = await bytes.list(after, PAGE)
    atEnd = page.length < PAGE
    const [rows] = page.length > 0 ? await run([classifyStored(page)]) : []
    const unknown = uuidsIn(rows?.[0]?.[0])
    seen.stored += page.length
    seen.current += Number(rows?.[0]?.[1] ?? 0)
    seen.unknown += unknown.length
    if (seen.unknown > allowed) {
      return report(`more than ${allowed} stored versions are unknown to the database, which knows ${before}: too many to be left-overs`)
    }
    const last: VersionId | null = atEnd ? null : (page.at(-1) ?? null)
    if (foresee) await tell(run, unknown, foresee)
    else await run(recordSuspects(unknown, after, last))
    if (!(await goOn())) return report('another process is sweeping')
    after = last
  }

  const now = Number((await count())[0])
  const { missing } = report(null, 0, now)
  if (seen.stored === 0 && Math.min(before, now) > 0) return report(`the store is empty, but ${before} objects have bytes in it`, 0, now)
  if (missing > Math.max(ALWAYS_ALLOWED, before * options.maxOrphanShare)) {
    return report(`the bytes of ${missing} of ${before} objects are not in the store: is it the right one?`, 0, now)
  }
  if (foresee) return report(null, 0, now)
  const condemned = Number((await run([condemnSuspects(options.graceMs, began ?? '-infinity')]))[0]?.[0]?.[0])
  return report(null, condemned, now)
}

async function tell(run: Run, unknown: readonly VersionId[], foresee: (version: VersionId, why: string) => void): Promise<void> {
  if (unknown.length === 0) return
  const [rows] = await run([suspectedSince(unknown)])
  for (const [version, since] of rows ?? []) foresee(version as VersionId, `nothing has answered for it since ${since}`)
}

/** PostgreSQL's text of a uuid[] has neither quotes nor blanks. */
const uuidsIn = (text: string | null | undefined): VersionId[] =>
  text && text !== '{}' ? (text.slice(1, -1).split(',') as VersionId[]) : []
