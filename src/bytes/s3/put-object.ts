import type { Readable } from 'node:stream'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { Bytes } from '../../std/brand.ts'
import { invariant } from '../../std/invariant.ts'
import { isVersionId, type StoredBytes, VersionExists, type VersionId } from '../byte-store.ts'
import { createFingerprint } from '../fingerprint.ts'
import { readChunks } from '../read-chunks.ts'
import { checkTag, contentMd5, SHA256 } from './checksums.ts'
import { headObject, removeQuietly } from './one-object.ts'
import { type Part, partsOf } from './parts-of.ts'
import { NO_MEANING, type PutDeps, putParts } from './put-parts.ts'
import type { S3Calls } from './s3-calls.ts'
import { fromS3, isTaken, wasTriedAgain } from './s3-error.ts'

/** Of one upload (S3: multipart upload limits). */
const MAX_PARTS = 10_000
const MIB = 2 ** 20

/**
 * A body that fits into one part goes in one call, a longer one in parts. What is sent is held in memory until the store has it, so that
 * every call can be repeated: a body that flows from a client cannot. Whatever fails, nothing readable is left.
 * @throws TooManyBytes, VersionExists, StoreUnavailable, the signal's reason
 */
export async function putObject(
  deps: PutDeps,
  version: VersionId,
  body: Readable,
  { maxBytes, signal }: { readonly maxBytes: Bytes; readonly signal: AbortSignal },
): Promise<StoredBytes> {
  invariant(isVersionId(version), 'bytes are stored under version ids only')
  const fingerprint = createFingerprint()
  const failing = new AbortController()
  const chunks = readChunks(body, AbortSignal.any([signal, failing.signal]))
  const parts = partsOf(chunks, fingerprint, { partBytes: partSize(deps.partBytes, maxBytes), maxBytes })
  try {
    const first = await parts.next()
    invariant(!first.done, 'a body has a first part')
    if (!first.value.isLast) return await putParts(deps, version, first.value, parts, { fingerprint, failing, signal })
    const stored = fingerprint.finish()
    await putWhole(deps, version, first.value, stored, signal)
    return stored
  } finally {
    await parts.return()
  }
}

/** One size for all parts, since some stores want that: larger than usual only where the limit of the body makes it necessary. */
function partSize(partBytes: Bytes, maxBytes: Bytes): number {
  if (maxBytes <= partBytes * MAX_PARTS) return partBytes
  return Math.ceil(Math.min(maxBytes, LARGEST_BODY) / MAX_PARTS / MIB) * MIB
}

/** Whoever sets no limit gets parts of 64 MiB, and not of any size. */
const LARGEST_BODY = 640_000 * MIB

async function putWhole(
  { s3, headers = NO_MEANING }: PutDeps,
  version: VersionId,
  part: Part,
  stored: StoredBytes,
  signal: AbortSignal,
): Promise<void> {
  const command = new PutObjectCommand({
    Bucket: s3.bucket,
    Key: s3.keyOf(version),
    Body: part.data,
    ContentLength: part.data.length,
    ContentMD5: contentMd5(part.md5),
    ...headers,
    IfNoneMatch: '*',
    Metadata: { [SHA256]: stored.sha256 },
  })
  try {
    // not given up half-way: then nobody would know whether it is there
    checkTag(await s3.call((client, options) => client.send(command, options)), part.md5)
    signal.throwIfAborted()
  } catch (error) {
    if (isTaken(error)) {
      if (wasTriedAgain(error) && (await isOurs(s3, version, stored))) return signal.throwIfAborted()
      throw new VersionExists(version, { cause: error })
    }
    await removeQuietly(s3, version)
    signal.throwIfAborted()
    throw fromS3(error)
  }
}

/** An earlier try whose answer was lost. */
async function isOurs(s3: S3Calls, version: VersionId, stored: StoredBytes): Promise<boolean> {
  const found = await headObject(s3, version).catch(() => null)
  return found?.ContentLength === stored.size && found.Metadata?.[SHA256] === stored.sha256
}
