import { Readable } from 'node:stream'
import { type ByteRange, DamagedBytes, type VersionId } from '../../bytes/byte-store.ts'
import type { StorageDeps } from '../deps.ts'
import { bytesDamaged, bytesMissing, preconditionFailed } from '../errors.ts'
import { type Conditions, judge, rangeApplies } from '../preconditions.ts'
import { byteRange } from '../range.ts'
import type { ObjectRow } from '../rows/objects.sql.ts'
import { fromStore } from '../store-error.ts'
import { versionId } from '../version.ts'
import { openBytes } from './open-bytes.ts'

export type ReadRequest = {
  readonly conditions: Conditions
  readonly range: string | undefined
  /** HEAD: everything but the bytes; a range is not asked for (RFC 9110 14.2) */
  readonly headersOnly: boolean
}

/** An object that can be served: its row names bytes and says how many. */
export type ServableObject = ObjectRow & { readonly version: VersionId; readonly size: number }

export type ReadAnswer = { readonly object: ServableObject } & (
  | { readonly kind: 'not modified' }
  /** `body` is null where the headers alone were asked for */
  | { readonly kind: 'whole'; readonly body: Readable | Buffer | null }
  | { readonly kind: 'part'; readonly range: ByteRange; readonly body: Readable | Buffer }
)

/**
 * Everything HTTP wants to know is decided from the row; then the bytes are opened. An object overwritten between the two may have lost
 * them to the sweeper, so the row is looked up once more; if it still names the same bytes they are missing, which is an alarm.
 * @throws whatever `find` throws; PreconditionFailed, InvalidRange, NoSuchBytes, DamagedBytes
 */
export async function readObject(
  deps: StorageDeps,
  find: () => Promise<ObjectRow>,
  request: ReadRequest,
  bucket: string,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const first = servable(deps, await find(), bucket)
  const answer = await open(deps, first, request, bucket, signal)
  if (answer) return answer
  const second = servable(deps, await find(), bucket)
  const again = second.version === first.version ? null : await open(deps, second, request, bucket, signal)
  return again ?? alarm(deps, second, bucket)
}

function servable(deps: StorageDeps, row: ObjectRow, bucket: string): ServableObject {
  const version = versionId(row.version)
  return version !== null && row.size !== null ? { ...row, version, size: row.size } : alarm(deps, row, bucket)
}

/** null: the bytes are gone */
async function open(
  deps: StorageDeps,
  object: ServableObject,
  request: ReadRequest,
  bucket: string,
  signal: AbortSignal,
): Promise<ReadAnswer | null> {
  const { etag, lastModified, createdAt, updatedAt } = object
  const validators = { etag, lastModified, isUnchanged: createdAt !== null && createdAt === updatedAt }
  const verdict = judge(request.conditions, validators)
  if (verdict === 'failed') throw preconditionFailed()
  if (verdict === 'not modified') return { kind: 'not modified', object }
  if (request.headersOnly) return { kind: 'whole', object, body: null }
  const range = rangeApplies(request.conditions.ifRange, validators) ? byteRange(request.range, object.size) : null
  const onDamage = (why: string) => deps.observe({ kind: 'bytes damaged', bucket, version: object.version, why })
  try {
    const body = await openBytes(deps, object, range, onDamage, signal)
    if (body === null) return null
    // the answer has begun by then: its end is cut off, and the alarm is all that can be said
    if (body instanceof Readable) body.once('error', (error) => fromStore(deps, error))
    return range ? { kind: 'part', object, range, body } : { kind: 'whole', object, body }
  } catch (error) {
    throw error instanceof DamagedBytes ? bytesDamaged({ cause: error }) : fromStore(deps, error)
  }
}

function alarm(deps: StorageDeps, row: ObjectRow, bucket: string): never {
  deps.observe({ kind: 'bytes missing', bucket, version: row.version })
  throw bytesMissing()
}
