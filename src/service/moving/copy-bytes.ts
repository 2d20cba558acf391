import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type ByteStore, DamagedBytes, type HashedBytes, NO_LIMIT, NoSuchBytes, VersionExists } from '../../bytes/byte-store.ts'
import { reasonOf, StartupError } from '../../config/startup-error.ts'
import { bytes } from '../../std/brand.ts'
import { findStored } from '../../storage/rows/ledger.sql.ts'
import { type LedgerEntry, ledgerEntries, measureVersions, pageOfVersions } from '../../storage/rows/moving.sql.ts'
import { findStoreId } from '../../storage/rows/sweep.sql.ts'
import { type OpenedStore, openStore, type StoreKind } from '../open-store.ts'
import { inParallel } from './in-parallel.ts'
import { createProgress } from './progress.ts'
import { type Moving, withMoving } from './with-moving.ts'

export type CopyBytesOptions = {
  readonly from: StoreKind
  readonly to: StoreKind
  readonly jobs: number
  /** read what is there already, and compare its hash too */
  readonly verify: boolean
}

export type CopyBytesReport = {
  readonly copied: number
  readonly present: number
  readonly bytes: number
  readonly failed: number
  /** the first hundred */
  readonly failures: readonly { readonly version: string; readonly why: string }[]
  /** whether the target holds every version now, and bears the mark of the database */
  readonly complete: boolean
}

const PAGE = 1_000
const FAILURES_SHOWN = 100
/** While the service runs, versions come: passes until one finds nothing new, and not for ever. */
const MOST_PASSES = 10

/**
 * Brings every version that the database knows into the other store, while the service runs. A version is the same bytes wherever it is, so
 * what is there is passed over and a copy that broke off goes on. What arrives is compared with the hash in the database.
 * @throws StartupError
 */
export async function copyBytes(options: CopyBytesOptions, onLine: (line: string) => void): Promise<CopyBytesReport> {
  if (options.from === options.to) throw new StartupError('--from and --to must name two stores.')
  return withMoving(onLine, async (moving) => {
    const source = await openStore(options.from, moving.config, moving.dataFolder)
    const target = await openStore(options.to, moving.config, moving.dataFolder)
    try {
      const storeId = await checkMarks(moving, source, target)
      const report = await copyAll(moving, source.store, target.store, options, onLine)
      if (report.complete && (await target.marker.read()) === null) await target.marker.write(storeId)
      return report
    } finally {
      await Promise.all([source.store.close(), target.store.close()])
    }
  })
}

/** Before a byte moves: both belong to this database, or the target is new. */
async function checkMarks({ run }: Moving, source: OpenedStore, target: OpenedStore): Promise<string> {
  const [rows] = await run([findStoreId()])
  const storeId = rows?.[0]?.[0] ?? null
  if (storeId === null) throw new StartupError('The database has no store yet: there is nothing to copy.')
  const [from, to] = [await source.marker.read(), await target.marker.read()]
  if (from !== storeId) throw new StartupError(`The database belongs to the store ${storeId}, and ${source.place} is ${from ?? 'none'}.`)
  if (to !== null && to !== storeId) throw new StartupError(`The database belongs to the store ${storeId}, and ${target.place} is ${to}.`)
  if (to === null && (await target.store.list(null, 1)).length > 0 && !(await isOurs({ run }, target.store)))
    throw new StartupError(`There are bytes in ${target.place} that this database knows nothing of.`)
  return storeId
}

/** A copy that broke off has left what the database knows. */
async function isOurs({ run }: Pick<Moving, 'run'>, store: ByteStore): Promise<boolean> {
  const [first] = await store.list(null, 1)
  const [rows] = first ? await run([findStored(first)]) : []
  return rows?.length === 1
}

async function copyAll(
  { run, signal }: Moving,
  source: ByteStore,
  target: ByteStore,
  { jobs, verify }: CopyBytesOptions,
  onLine: (line: string) => void,
): Promise<CopyBytesReport> {
  const [measured] = (await run([measureVersions()]))[0] ?? []
  const progress = createProgress('copying', { objects: Number(measured?.[0]), bytes: Number(measured?.[1]) }, onLine)
  const total = { copied: 0, present: 0, bytes: 0 }
  let failures: { version: string; why: string }[] = []
  try {
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      failures = []
      let copied = 0
      let present = 0
      await inParallel(ledger(run), jobs, async (entry) => {
        signal.throwIfAborted()
        try {
          const outcome = await copyOne(run, source, target, entry, verify, signal)
          if (outcome === 'copied') {
            copied++
            total.bytes += entry.stored.size
          }
          if (outcome === 'present') present++
          if (pass === 1 || outcome === 'copied') progress.add(1, entry.stored.size)
        } catch (error) {
          if (signal.aborted) throw signal.reason
          failures.push({ version: entry.version, why: reasonOf(error) })
        }
      })
      total.copied += copied
      if (pass === 1) total.present = present
      if (copied === 0) break
    }
  } finally {
    progress.end()
  }
  return { ...total, failed: failures.length, failures: failures.slice(0, FAILURES_SHOWN), complete: failures.length === 0 }
}

async function* ledger(run: Moving['run']): AsyncGenerator<LedgerEntry, void, undefined> {
  for (let after: LedgerEntry['version'] | null = null; ; ) {
    const [rows] = await run([pageOfVersions(after, PAGE)])
    const page = ledgerEntries(rows ?? [])
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)?.version ?? null
  }
}

async function copyOne(
  run: Moving['run'],
  source: ByteStore,
  target: ByteStore,
  { version, stored }: LedgerEntry,
  verify: boolean,
  signal: AbortSignal,
): Promise<'copied' | 'present' | 'gone'> {
  if (await isWhole(target, { version, stored }, verify, signal)) return 'present'
  // a piece that a copy has left when it broke off; nobody reads it, since the other store has the whole
  await target.delete([version])
  try {
    const body = await source.get(version, { range: null, signal })
    try {
      const arrived = await target.put(version, body, { maxBytes: NO_LIMIT, signal })
      if (arrived.sha256 === stored.sha256 && arrived.size === stored.size) return 'copied'
    } finally {
      body.destroy()
    }
    await target.delete([version])
    throw new Error('its bytes are not those that were stored: their hash is another one')
  } catch (error) {
    if (error instanceof VersionExists) return 'present'
    if (!(error instanceof NoSuchBytes)) throw error
    // replaced or deleted while we came to it
    const [rows] = await run([findStored(version)])
    if (rows?.length === 0) return 'gone'
    throw new Error('its bytes are in neither store', { cause: error })
  }
}

/** By its last byte, since nothing in a store is longer than what was put there; or by all of them. */
async function isWhole(store: ByteStore, { version, stored }: LedgerEntry, verify: boolean, signal: AbortSignal): Promise<boolean> {
  const last = bytes(stored.size - 1)
  try {
    const body = await store.get(version, { range: verify || stored.size === 0 ? null : { first: last, last }, signal })
    return await sameBytes(body, verify ? stored : null)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NoSuchBytes || error instanceof DamagedBytes) return false
    throw error
  }
}

async function sameBytes(body: Readable, stored: HashedBytes | null): Promise<boolean> {
  const hash = createHash('sha256')
  for await (const chunk of body) if (stored !== null) hash.update(chunk as Buffer)
  return stored === null || hash.digest('hex') === stored.sha256
}
