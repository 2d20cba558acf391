import type { Readable } from 'node:stream'
import type { StoredBytes, VersionId } from '../../bytes/byte-store.ts'
import type { Bytes } from '../../std/brand.ts'
import { ServiceError } from '../../std/service-error.ts'
import { admitCacheControl, admitMediaType, admitSize, maxUploadBytes } from '../admit.ts'
import { askAsService, isService } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { keyAlreadyExists, noSuchBucket, preconditionFailed } from '../errors.ts'
import { type BucketId, bucketId, newObjectKey, type ObjectKey } from '../key.ts'
import { mayWrite, type WriteConditions } from '../preconditions.ts'
import { robotsTag } from '../robots-tag.ts'
import { findUploadRules, type UploadRules, uploadRules } from '../rows/buckets.sql.ts'
import { reserveIfWelcome } from '../rows/ledger.sql.ts'
import { NO_METADATA, type UserMetadata } from '../user-metadata.ts'
import { objectMetadata } from './object-metadata.ts'
import { overAsAsked, publish, type Replacing } from './publish.ts'
import { giveUp, underReservation } from './reserve.ts'
import { takeBytes } from './take-bytes.ts'
import { announcedMetadata, askToWrite, type WriteMode } from './write-permission.ts'

export type UploadObject = {
  /** as they stood in the path, decoded */
  readonly bucket: string
  readonly key: string
  readonly mode: WriteMode
  readonly robotsTag: string | undefined
  readonly conditions: WriteConditions
  /** of the request's body, where it was told: the file is no longer */
  readonly announcedLength: number | null
}

/** Who uploads: a caller whom row security judges, or the holder of a signed address whom it judged before. */
export type Uploader = {
  readonly call: Call
  readonly hasAddress: boolean
  readonly ownerId: string | null
}

/** What is known of a file when its first byte is there to be read. */
export type Arrival = ArrivalFields & {
  /** of the file, where the sender told it */
  readonly size: Bytes | null
  /** of the request's body: the length that policies look at */
  readonly announcedLength: number | null
  /** lower-case hex, where the sender told it */
  readonly md5: string | null
  readonly body: Readable
  /** once the body has ended: fields that came behind it, or null */
  readonly behind: () => Promise<ArrivalFields | null>
}

export type ArrivalFields = {
  readonly mediaType: string
  readonly cacheControl: string
  /** null: none given */
  readonly userMetadata: UserMetadata | null
}

export type UploadedObject = { readonly id: string; readonly bucket: BucketId; readonly key: ObjectKey }

/** What the later stages share, once bucket and key are known to be good. */
type Upload = {
  readonly deps: StorageDeps
  readonly uploader: Uploader
  readonly command: UploadObject
  readonly bucket: BucketId
  readonly key: ObjectKey
  readonly rules: UploadRules
  readonly signal: AbortSignal
}

/**
 * Bytes first, row second. No connection to the database is held while bytes move.
 * The order in which faults are told is the peer's: bucket, X-Robots-Tag, type, size, key, permission, existing key.
 * @throws InvalidBucketName, NoSuchBucket, InvalidRobotsTag, whatever `open` throws, InvalidMimeType, EntityTooLarge, InvalidKey, AccessDenied,
 * KeyAlreadyExists, PreconditionFailed, BadDigest, Aborted
 */
export async function uploadObject(
  deps: StorageDeps,
  uploader: Uploader,
  command: UploadObject,
  open: () => Promise<Arrival>,
  signal: AbortSignal,
): Promise<UploadedObject> {
  const bucket = bucketId(command.bucket)
  const key = checkedKey(command.key)
  const version = deps.newVersion()
  const { rules, isReserved } = await findRules(deps, uploader, command, bucket, key, version, signal)
  const { upload, robots, arrival, maxBytes, replacing } = await admit().catch((error) => {
    if (isReserved) giveUp(deps, uploader.call, version)
    throw error
  })

  const receive = async (abort: AbortSignal) => {
    const stored = await takeBytes(deps, version, arrival.body, { maxBytes, md5: arrival.md5, signal: abort })
    return { stored, fields: await lastFields(upload, arrival, stored) }
  }
  const claim = { version, bucket, key: upload.key, isReserved }
  const { id } = await underReservation(deps, uploader.call, claim, signal, receive, ({ stored, fields }) =>
    publishUpload(upload, replacing, fields, {
      version,
      bucketId: bucket,
      key: upload.key,
      ownerId: uploader.ownerId,
      metadata: objectMetadata({ ...fields, robotsTag: robots }, stored, deps.now()),
      userMetadata: fields.userMetadata ?? NO_METADATA,
      stored,
    }),
  )
  return { id, bucket, key: upload.key }

  async function admit() {
    const robots = robotsTag(command.robotsTag)
    const arrival = await open()
    const maxBytes = maxUploadBytes(command.key, rules, deps.limits)
    admitFields(command.key, rules, arrival)
    admitSize(arrival.size, maxBytes)
    if (key instanceof ServiceError) throw key
    const upload = { deps, uploader, command, bucket, key, rules, signal }
    await authorise(upload, arrival, arrival.announcedLength)
    return { upload, robots, arrival, maxBytes, replacing: decideReplacing(upload) }
  }
}

/** A key's fault is told after those of type and size, which need the bucket. */
function checkedKey(text: string): ObjectKey | ServiceError {
  try {
    return newObjectKey(text)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

/**
 * For an uploader whom nobody has to be asked about, and a length that is known, the version is reserved in the same trip.
 * @throws NoSuchBucket
 */
async function findRules(
  deps: StorageDeps,
  uploader: Uploader,
  { mode, announcedLength }: UploadObject,
  bucket: BucketId,
  key: ObjectKey | ServiceError,
  version: VersionId,
  signal: AbortSignal,
): Promise<{ readonly rules: UploadRules; readonly isReserved: boolean }> {
  const question = findUploadRules(bucket, key instanceof ServiceError ? '' : key)
  const isWelcome =
    !needsPermission(uploader) && announcedLength !== null && announcedLength <= (deps.limits.maxObjectBytes ?? announcedLength)
  const claim =
    isWelcome && !(key instanceof ServiceError)
      ? [reserveIfWelcome(version, bucket, key, { size: announcedLength, replaces: mode === 'replace' })]
      : []
  const [found, reserved] = await askAsService(deps, uploader.call, [question, ...claim], signal).catch((error) => {
    // whether it was reserved is not known then
    if (claim.length > 0) giveUp(deps, uploader.call, version)
    throw error
  })
  const rules = uploadRules(found?.[0])
  if (!rules) throw noSuchBucket()
  return { rules, isReserved: reserved?.[0] !== undefined }
}

function admitFields(key: string, rules: UploadRules, { mediaType, cacheControl }: ArrivalFields): void {
  admitMediaType(mediaType, key, rules)
  admitCacheControl(cacheControl)
}

/** The service may write anything, and whoever holds an address was asked about before. */
const needsPermission = ({ call, hasAddress }: Uploader): boolean => !hasAddress && !isService(call)

async function authorise(upload: Upload, { mediaType, userMetadata }: ArrivalFields, length: number | null): Promise<void> {
  const { deps, uploader, command, bucket, key, signal } = upload
  if (!needsPermission(uploader)) return
  const metadata = announcedMetadata(mediaType, length)
  const candidate = { bucket, key, ownerId: uploader.ownerId, metadata, userMetadata: userMetadata ?? NO_METADATA }
  await askToWrite(deps, uploader.call, command.mode, candidate, signal)
}

/** RFC 9110 13.1: `If-None-Match: *` writes only where nothing is, `If-Match` only over what it names. */
function decideReplacing({ uploader, command: { mode, conditions }, rules: { current } }: Upload): Replacing {
  if (mode === 'create' && current && !needsPermission(uploader)) throw keyAlreadyExists()
  if (!mayWrite(conditions, current)) throw preconditionFailed()
  if (mode === 'create' || conditions.ifNoneMatch?.trim() === '*') return { kind: 'never' }
  if (conditions.ifMatch && current?.version) return { kind: 'only', version: current.version }
  return overAsAsked(needsPermission(uploader), current)
}

/** Fields behind the file count as those before it do, so they are admitted and asked about likewise. */
async function lastFields(upload: Upload, arrival: Arrival, stored: StoredBytes): Promise<ArrivalFields> {
  const behind = await arrival.behind()
  if (!behind) return arrival
  admitFields(upload.key, upload.rules, behind)
  if (behind.mediaType !== arrival.mediaType || behind.userMetadata !== arrival.userMetadata) await authorise(upload, behind, stored.size)
  return behind
}

/** Who asked for `If-None-Match: *` hears of a key taken meanwhile in the words of his condition. */
async function publishUpload(
  upload: Upload,
  replacing: Replacing,
  fields: ArrivalFields,
  publication: Parameters<typeof publish>[3],
): ReturnType<typeof publish> {
  const { deps, uploader, command } = upload
  try {
    return await publish(deps, uploader.call, replacing, publication, () => authorise(upload, fields, publication.stored.size))
  } catch (error) {
    throw command.mode === 'replace' && error instanceof ServiceError && error.code === 'KeyAlreadyExists' ? preconditionFailed() : error
  }
}
