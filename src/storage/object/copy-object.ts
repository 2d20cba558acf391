import type { StoredBytes, VersionId } from '../../bytes/byte-store.ts'
import { admitCacheControl, admitStored, type BucketRules, maxStoredBytes } from '../admit.ts'
import { askAsCaller, askAsService, askToRead, isService } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { bytesDamaged, bytesMissing, noSuchKey, relatedResourceMissing } from '../errors.ts'
import type { BucketId, ObjectKey } from '../key.ts'
import { UNKNOWN_TYPE } from '../media-type.ts'
import { findUploadRules, uploadRules } from '../rows/buckets.sql.ts'
import { findStored, foundStored } from '../rows/ledger.sql.ts'
import { findObject, foundObject, type ObjectRecord, type ObjectRow, tryCopyNew, tryCopyOver } from '../rows/objects.sql.ts'
import type { UserMetadata } from '../user-metadata.ts'
import { versionId } from '../version.ts'
import { objectMetadata } from './object-metadata.ts'
import { overAsAsked, publish, type Replacing } from './publish.ts'
import { underReservation } from './reserve.ts'
import { copyBytes } from './take-bytes.ts'
import { keyTaken, type WriteMode } from './write-permission.ts'

/** Bytes of a copy that takes long enough for a line of its own. */
const LARGE = 2 ** 28

export type CopyObject = {
  readonly bucket: BucketId
  readonly key: ObjectKey
  readonly toBucket: BucketId
  readonly toKey: ObjectKey
  readonly mode: WriteMode
  /** `all`: everything as the source has it; otherwise these, where given; user metadata is then what is given, or none */
  readonly metadata:
    | 'all'
    | { readonly cacheControl: string | null; readonly mediaType: string | null; readonly userMetadata: UserMetadata | null }
}

/**
 * A new version with the bytes of the source, as the caller's own object. The target bucket must take it.
 * @throws NoSuchKey for a source that is missing or that the caller may not read; AccessDenied, KeyAlreadyExists, RelatedResourceMissing,
 * EntityTooLarge, InvalidMimeType, NoSuchBytes, DamagedBytes
 */
export async function copyObject(deps: StorageDeps, call: Call, command: CopyObject, signal: AbortSignal): Promise<ObjectRecord> {
  const replacing = await decideReplacing(deps, call, command, signal)
  const source = await authorise(deps, call, command, signal)
  const described = describe(command, source)
  admitCacheControl(described.cacheControl)
  const { toBucket, toKey } = command
  const current = versionId(source.version)
  const [rows, stored] = await askAsService(
    deps,
    call,
    [findUploadRules(toBucket, toKey), ...(current ? [findStored(current)] : [])],
    signal,
  )
  const hashed = foundStored(stored?.[0])
  const known = hashed && source.crc32 !== null ? { ...hashed, crc32: source.crc32 } : null
  const rules = uploadRules(rows?.[0])
  if (!rules) throw relatedResourceMissing()
  admitStored({ size: source.size, mediaType: described.mediaType }, toKey, rules, deps.limits)

  if (source.size !== null && source.size >= LARGE) deps.observe({ kind: 'copying', bucket: toBucket, bytes: source.size })
  const version = deps.newVersion()
  const receive = (abort: AbortSignal) => copySource(deps, call, command, { source, known }, version, rules, abort)
  return underReservation(deps, call, { version, bucket: toBucket, key: toKey }, signal, receive, (stored) =>
    publish(
      deps,
      call,
      replacing,
      {
        version,
        bucketId: toBucket,
        key: toKey,
        ownerId: call.as.subject,
        metadata: objectMetadata(described, stored, deps.now()),
        userMetadata: command.metadata === 'all' ? source.userMetadata : command.metadata.userMetadata,
        stored,
      },
      () => authorise(deps, call, command, signal),
    ),
  )
}

/** What is there is looked at before row security is asked: what comes after that was not asked about. */
async function decideReplacing(
  deps: StorageDeps,
  call: Call,
  { mode, toBucket, toKey }: CopyObject,
  signal: AbortSignal,
): Promise<Replacing> {
  if (mode === 'create') return { kind: 'never' }
  if (isService(call)) return { kind: 'always' }
  const [rows] = await askAsService(deps, call, [findUploadRules(toBucket, toKey)], signal)
  return overAsAsked(true, uploadRules(rows?.[0])?.current ?? null)
}

/** One trip asks for both: the source to read, and the target to write. */
async function authorise(deps: StorageDeps, call: Call, command: CopyObject, signal: AbortSignal): Promise<ObjectRow> {
  const { bucket, key, toBucket, toKey, mode, metadata } = command
  const tryCopy = mode === 'replace' ? tryCopyOver : tryCopyNew
  const target = tryCopy(bucket, key, {
    bucket: toBucket,
    key: toKey,
    ownerId: call.as.subject,
    metadata:
      metadata === 'all'
        ? null
        : JSON.stringify({ cacheControl: metadata.cacheControl ?? undefined, mimetype: metadata.mediaType ?? undefined }),
    keepUserMetadata: metadata === 'all',
    userMetadata: metadata === 'all' ? null : metadata.userMetadata,
  })
  const [rows] = await askAsCaller(deps, call, [findObject(bucket, key, 'to describe'), target], signal, 'roll back', keyTaken)
  const source = foundObject(rows?.[0])
  if (!source) throw noSuchKey()
  return source
}

function describe({ metadata }: CopyObject, source: ObjectRow): { mediaType: string; cacheControl: string; robotsTag: string | null } {
  const changes = metadata === 'all' ? null : metadata
  return {
    mediaType: changes?.mediaType ?? source.mediaType ?? UNKNOWN_TYPE,
    cacheControl: changes?.cacheControl ?? source.cacheControl ?? 'no-cache',
    robotsTag: source.robotsTag,
  }
}

/** As a reader does: a source overwritten meanwhile is looked up once more. */
async function copySource(
  deps: StorageDeps,
  call: Call,
  { bucket, key, toKey }: CopyObject,
  { source, known }: { readonly source: ObjectRow; readonly known: StoredBytes | null },
  to: VersionId,
  rules: BucketRules,
  signal: AbortSignal,
): Promise<StoredBytes> {
  const options = { maxBytes: maxStoredBytes(toKey, rules, deps.limits), signal }
  const first = versionId(source.version)
  const stored = first && (await copyBytes(deps, first, to, { ...options, known }))
  if (stored) return intact(deps, bucket, source, stored)
  const [rows] = await askToRead(deps, call, bucket, [findObject(bucket, key, 'to serve')], signal)
  const now = foundObject(rows?.[0])
  if (!now) throw noSuchKey()
  const second = versionId(now.version)
  const again = second && second !== first ? await copyBytes(deps, second, to, { ...options, known: null }) : null
  if (again) return intact(deps, bucket, now, again)
  deps.observe({ kind: 'bytes missing', bucket, version: now.version })
  throw bytesMissing()
}

/** A copy of damaged bytes would get a checksum that fits them, and the damage would be forgotten. */
function intact(deps: StorageDeps, bucket: BucketId, { version, crc32 }: ObjectRow, stored: StoredBytes): StoredBytes {
  if (crc32 === null || crc32 === stored.crc32) return stored
  deps.observe({ kind: 'bytes damaged', bucket, version, why: 'their checksum is another' })
  throw bytesDamaged()
}
