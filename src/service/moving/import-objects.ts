import type { ByteStore, StoredBytes, VersionId } from '../../bytes/byte-store.ts'
import { isVersionId, NO_LIMIT, VersionExists } from '../../bytes/byte-store.ts'
import type { Row } from '../../pg/scoped-batch.ts'
import type { Statement } from '../../sqltext/sql.ts'
import { findStored } from '../../storage/rows/ledger.sql.ts'
import {
  adoptBytes,
  type ForeignObject,
  findImported,
  importStanding,
  publishImport,
  removeImported,
  reserveImport,
  type Standing,
} from '../../storage/rows/moving.sql.ts'
import { mediaOf, metadataOf, whyNotTheSame } from './object-facts.ts'
import type { PeerDatabase } from './peer-database.ts'
import { type PeerFile, type PeerFiles, peerKey } from './peer-files.ts'
import type { Progress } from './progress.ts'

export type ImportDeps = {
  /** statements of one transaction, as the service; may delete rows */
  readonly run: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>
  readonly store: ByteStore
  readonly database: PeerDatabase
  readonly files: PeerFiles
  /** first part of the peer's keys; may be empty */
  readonly tenant: string
  readonly newVersion: () => VersionId
  /** says that somebody is at work on a version, until the returned function is called */
  readonly hold: (version: VersionId) => () => void
}

export type ObjectOutcome =
  | { readonly kind: 'imported' | 'present'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly key: string; readonly why: string }

const PAGE = 500

/** One item for each object of a bucket, in order of keys: what is to be done with it. */
export async function* pendingObjects(
  deps: ImportDeps,
  bucketId: string,
): AsyncGenerator<{ readonly object: ForeignObject; readonly standing: Standing | 'new' }, void, undefined> {
  for (let after = ''; ; ) {
    const page = await deps.database.objects(bucketId, after, PAGE)
    if (page.length === 0) return
    const [rows] = await deps.run([findImported(bucketId, page)])
    const standing = importStanding(rows ?? [])
    for (const object of page) yield { object, standing: standing.get(object.name) ?? 'new' }
    after = page.at(-1)?.name ?? ''
  }
}

/** Bytes first, row second, as an upload does it; a mismatch leaves neither. */
export async function importObject(
  deps: ImportDeps,
  object: ForeignObject,
  standing: Standing | 'new',
  progress: Progress,
  signal: AbortSignal,
): Promise<ObjectOutcome> {
  const key = `${object.bucketId}/${object.name}`
  const failed = (why: string): ObjectOutcome => ({ kind: 'failed', key, why })
  if (standing === 'foreign') return failed('another object has its key here')
  const known = mediaOf(object.metadata)
  if (standing === 'done') {
    progress.add(1, known.size ?? 0)
    return { kind: 'present', bytes: known.size ?? 0 }
  }
  const file = await deps.files.find(peerKey(deps.tenant, object), signal)
  if (file === null) return failed('its bytes are not there')
  if (known.size !== null && file.size !== null && file.size !== known.size)
    return failed(`${file.size} bytes are there, and its row says ${known.size}`)

  const version = standing === 'adopt' && object.version !== null && isVersionId(object.version) ? object.version : deps.newVersion()
  const release = deps.hold(version)
  try {
    await deps.run([reserveImport(version, object.bucketId, object.name)])
    const stored = await take(deps, version, file, signal)
    const why = whyNotTheSame(stored, known, file)
    const published = why === null && (await publish(deps, object, standing, version, stored, file))
    if (!published) {
      await deps.store.delete([version])
      return failed(why ?? 'it changed here meanwhile')
    }
    progress.add(1, stored.size)
    return { kind: 'imported', bytes: stored.size }
  } finally {
    release()
  }
}

/** What an import that broke off left under the version is nobody's, since the ledger does not know it. */
async function take({ run, store }: ImportDeps, version: VersionId, file: PeerFile, signal: AbortSignal): Promise<StoredBytes> {
  const put = async () => {
    const body = await file.open(signal)
    try {
      return await store.put(version, body, { maxBytes: NO_LIMIT, signal })
    } finally {
      body.destroy()
    }
  }
  try {
    return await put()
  } catch (error) {
    if (!(error instanceof VersionExists)) throw error
    const [known] = await run([findStored(version)])
    if (known?.length !== 0) throw error
    await store.delete([version])
    return put()
  }
}

async function publish(
  deps: ImportDeps,
  object: ForeignObject,
  standing: Standing | 'new',
  version: VersionId,
  stored: StoredBytes,
  file: PeerFile,
): Promise<boolean> {
  if (standing === 'adopt' && version === object.version) {
    const [rows] = await deps.run([adoptBytes(object.id, version, stored)])
    return rows?.length === 1
  }
  const standIn = metadataOf(object, stored, file)
  // a row that another one has moved away from comes under its new key
  const answers = await deps.run([removeImported(object.id), publishImport(object, standIn, version, stored)])
  return answers[1]?.length === 1
}
