import type { Row } from '../../pg/scoped-batch.ts'
import type { Statement } from '../../sqltext/sql.ts'
import { ServiceError } from '../../std/service-error.ts'
import { askAsService, unhurried } from '../ask.ts'
import { fromDatabase, isRefusal } from '../database-error.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { keyAlreadyExists, preconditionFailed, uploadInterrupted } from '../errors.ts'
import type { BucketId, ObjectKey } from '../key.ts'
import type { UploadRules } from '../rows/buckets.sql.ts'
import { isTrue } from '../rows/columns.ts'
import { type Publication, publishNew, publishOver } from '../rows/ledger.sql.ts'
import { type ObjectRecord, objectRecord, recordById, recordObject, requireVersion, VERSION_CHANGED } from '../rows/objects.sql.ts'

/**
 * What becomes of an object that is there already: it stays, it is replaced, or it is replaced only if it still is `version`. `as asked`: it is replaced by a caller who was
 * asked about while it was `version` (null: nothing was there), or who was asked about again.
 */
export type Replacing =
  | { readonly kind: 'never' }
  | { readonly kind: 'always' }
  | { readonly kind: 'only'; readonly version: string }
  | { readonly kind: 'as asked'; readonly version: string | null }

/** By whoever row security was asked about, over what was there then; by others over anything. A row that was put in by hand may have no version to go by. */
export const overAsAsked = (wasAsked: boolean, current: UploadRules['current']): Replacing =>
  wasAsked && !(current && current.version === null) ? { kind: 'as asked', version: current?.version ?? null } : { kind: 'always' }

/**
 * The commit: the row names the new bytes, the old ones go to the outbox, the reservation ends, in one transaction. It is never given up
 * because the caller went away. When the connection breaks nobody knows whether it happened, so it is asked for once more:
 * a reservation can be used only once, and a row that names our version says that it was.
 * `askAgain` asks whether the caller may still write there, when somebody else has written since he was asked about.
 * @throws KeyAlreadyExists, PreconditionFailed, UploadInterrupted, RelatedResourceMissing
 */
export async function publish(
  deps: StorageDeps,
  call: Call,
  replacing: Replacing,
  publication: Publication & { readonly bucketId: BucketId; readonly key: ObjectKey },
  askAgain: () => Promise<unknown>,
): Promise<ObjectRecord> {
  const { bucketId, key, version } = publication
  const statements: Statement[] = replacing.kind === 'only' ? [requireVersion(bucketId, key, replacing.version, version)] : []
  statements.push(
    replacing.kind === 'never' ? publishNew(publication) : publishOver(publication, replacing.kind === 'as asked' ? replacing : 'any'),
    recordObject(bucketId, key),
  )

  const attempt = async () => (await askAsService(deps, call, statements, unhurried(), changed)).slice(-2)
  const attemptTwice = () =>
    attempt().catch((error) => {
      if (isConnectionLost(error)) return attempt()
      throw error
    })
  let answer: readonly (readonly Row[])[]
  try {
    answer = await attemptTwice()
  } catch (error) {
    if (replacing.kind !== 'as asked' || !isChanged(error)) throw error
    await askAgain()
    return publish(deps, call, { kind: 'always' }, publication, askAgain)
  }
  const [reserved, id] = answer[0]?.[0] ?? []
  const row = answer[1]?.[0]
  const record = row && objectRecord(row)
  if (!isTrue(reserved)) {
    if (record?.version === version) return record
    throw uploadInterrupted()
  }
  if (id == null) throw keyAlreadyExists()
  return record ?? (await recordElsewhere(deps, call, id))
}

/** A trigger of the owner's has given the row another name than was asked for: written it is. */
async function recordElsewhere(deps: StorageDeps, call: Call, id: string): Promise<ObjectRecord> {
  const [rows] = await askAsService(deps, call, [recordById(id)], unhurried())
  if (!rows?.[0]) throw keyAlreadyExists()
  return objectRecord(rows[0])
}

/** The object that a condition was about is another one by now. */
const changed = (error: unknown): unknown =>
  isRefusal(error) && error.sqlstate === VERSION_CHANGED ? preconditionFailed() : fromDatabase(error)

const isChanged = (error: unknown): boolean => error instanceof ServiceError && error.code === 'PreconditionFailed'

function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && cause.name === 'PgUnavailable' && 'reason' in cause && cause.reason === 'connection lost'
}
