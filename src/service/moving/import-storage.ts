import { randomUUID } from 'node:crypto'
import type { VersionId } from '../../bytes/byte-store.ts'
import { reasonOf, StartupError } from '../../config/startup-error.ts'
import { ConnectError, connectOwner } from '../../pg/owner-connection.ts'
import { importBucket } from '../../storage/rows/moving.sql.ts'
import { type ImportDeps, importObject, type ObjectOutcome, pendingObjects } from './import-objects.ts'
import { importPolicies, type PolicyReport } from './import-policies.ts'
import { inParallel } from './in-parallel.ts'
import { openPeerFiles, type PeerPlace } from './open-peer-files.ts'
import { type History, openPeerDatabase, type PeerBucket, type PeerDatabase } from './peer-database.ts'
import { createProgress } from './progress.ts'
import { asOwner, type Moving, withMoving, withOwnBytes } from './with-moving.ts'

export type ImportOptions = {
  /** connection string of the other database; null: its rows are in ours already */
  readonly from: string | null
  readonly files: PeerPlace
  readonly tenant: string
  readonly jobs: number
}

export type ImportReport = {
  readonly buckets: { readonly created: number; readonly present: number; readonly skipped: readonly string[] }
  readonly objects: { readonly imported: number; readonly present: number; readonly failed: number }
  readonly bytes: number
  /** of buckets with versions: what is not there now, and stays where it is */
  readonly leftOut: History
  /** the first hundred */
  readonly failures: readonly { readonly key: string; readonly why: string }[]
  readonly policies: PolicyReport
}

const FAILURES_SHOWN = 100
/** The wrong folder, or a store that is away, and not a few lost files. */
const GIVE_UP_AFTER = 200

/**
 * Takes over a Supabase Storage: its buckets, objects and policies as they are, its bytes into our store. May be run again: what is here is
 * passed over, what changed there is brought again, what changed here stays.
 * @throws StartupError
 */
export async function importStorage(options: ImportOptions, onLine: (line: string) => void): Promise<ImportReport> {
  return withMoving(onLine, (moving) =>
    withSource(options.from ?? moving.ownerUrl, async (database) => {
      const files = await openPeerFiles(options.files, moving.config)
      try {
        return await withOwnBytes(moving, (store) =>
          runImport(
            {
              run: moving.run,
              store,
              database,
              files,
              tenant: options.tenant,
              newVersion: () => randomUUID() as VersionId,
              hold: moving.hold,
            },
            moving,
            options,
            onLine,
          ),
        )
      } finally {
        files.close()
      }
    }),
  )
}

async function runImport(
  deps: ImportDeps,
  { ownerUrl, signal }: Moving,
  options: ImportOptions,
  onLine: (line: string) => void,
): Promise<ImportReport> {
  const { database } = deps
  const all = await database.buckets()
  const buckets = await importBuckets(deps, all)
  const leftOut = await database.history()
  const progress = createProgress('importing', await database.measure(), onLine)
  const counts = { imported: 0, present: 0, failed: 0 }
  const failures: { key: string; why: string }[] = []
  let bytes = 0
  let failedInARow = 0
  try {
    for (const { id } of buckets.usable) {
      await inParallel(pendingObjects(deps, id), options.jobs, async ({ object, standing }) => {
        signal.throwIfAborted()
        const outcome = await importObject(deps, object, standing, progress, signal).catch((error): ObjectOutcome => {
          if (signal.aborted) throw signal.reason
          return { kind: 'failed', key: `${object.bucketId}/${object.name}`, why: reasonOf(error) }
        })
        failedInARow = outcome.kind === 'failed' ? failedInARow + 1 : 0
        counts[outcome.kind]++
        if (outcome.kind === 'imported') bytes += outcome.bytes
        if (failedInARow === GIVE_UP_AFTER && outcome.kind === 'failed')
          throw new StartupError(`${GIVE_UP_AFTER} objects in a row could not be imported, the last one because: ${outcome.why}`)
        if (outcome.kind === 'failed' && failures.length < FAILURES_SHOWN) failures.push({ key: outcome.key, why: outcome.why })
      })
    }
  } finally {
    progress.end()
  }
  const policies =
    options.from === null ? NO_POLICIES : await asOwner(ownerUrl, async (owner) => importPolicies(await database.policies(), owner))
  return { buckets: buckets.report, objects: counts, bytes, leftOut, failures, policies }
}

/** They are where they were. */
const NO_POLICIES: PolicyReport = { created: [], present: [], failed: [] }

async function importBuckets(deps: ImportDeps, all: readonly PeerBucket[]) {
  let created = 0
  const skipped: string[] = []
  const usable: PeerBucket[] = []
  for (const bucket of all) {
    if (bucket.kind !== 'STANDARD') {
      skipped.push(`${bucket.id}: a bucket of type ${bucket.kind}`)
      continue
    }
    const [made] = await deps.run([importBucket(bucket.json)])
    created += made?.length ?? 0
    usable.push(bucket)
  }
  return { usable, report: { created, present: usable.length - created, skipped } }
}

async function withSource<T>(url: string, work: (database: PeerDatabase) => Promise<T>): Promise<T> {
  const connection = await connectOwner(url, 'stowage import').catch((error) => {
    throw error instanceof ConnectError
      ? new StartupError(`The database to import from cannot be reached: ${error.message}.`, { cause: error })
      : error
  })
  try {
    const { rows } = await connection.query(
      `/* peer.look */ select to_regclass('storage.buckets') as buckets, to_regclass('storage.objects') as objects`,
    )
    const [found] = rows as { buckets: string | null; objects: string | null }[]
    if (!found?.buckets || !found.objects)
      throw new StartupError('The database to import from has no tables storage.buckets and storage.objects.')
    return await work(await openPeerDatabase(connection))
  } finally {
    await connection.end()
  }
}
