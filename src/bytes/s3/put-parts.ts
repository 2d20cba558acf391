import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { Bytes } from '../../std/brand.ts'
import { type StoredBytes, StoreUnavailable, VersionExists, type VersionId } from '../byte-store.ts'
import type { Fingerprint } from '../fingerprint.ts'
import { checkSize, checkTag, contentMd5 } from './checksums.ts'
import { headObject, removeQuietly } from './one-object.ts'
import type { Part } from './parts-of.ts'
import { type S3Calls, TIDY_LIMIT } from './s3-calls.ts'
import { fromS3, isTaken, nameOf, wasTriedAgain } from './s3-error.ts'

export type PutDeps = {
  readonly s3: S3Calls
  /** smallest size of a part */
  readonly partBytes: Bytes
  /** lets so many parts of all bodies be on their way at once */
  readonly sending: <T>(work: () => Promise<T>) => Promise<T>
  /** what an object is told to be, for others who read the bucket */
  readonly headers?: ObjectHeaders
}

export type ObjectHeaders = { readonly ContentType: string; readonly CacheControl?: string }

/** What HTTP means by an object of ours stands in its row. */
export const NO_MEANING: ObjectHeaders = { ContentType: 'application/octet-stream' }

/** Of one body; while they go the next is received. */
const PARTS_AT_ONCE = 2

/** A body in parts: two on their way while a third is received. Nothing is readable before the last call. */
export async function putParts(
  { s3, sending, headers = NO_MEANING }: PutDeps,
  version: VersionId,
  first: Part,
  others: AsyncIterable<Part>,
  { fingerprint, failing, signal }: { readonly fingerprint: Fingerprint; readonly failing: AbortController; readonly signal: AbortSignal },
): Promise<StoredBytes> {
  return inParts(
    s3,
    version,
    headers,
    async (uploadId) => {
      const done: CompletedPart[] = []
      const going = new Set<Promise<void>>()
      const stopping = AbortSignal.any([signal, failing.signal])
      const send = (part: Part, number: number) => {
        const sent = sending(() => sendPart(s3, version, uploadId, part, number, stopping)).then(
          (tag) => {
            done[number - 1] = tag
            going.delete(sent)
          },
          (error) => {
            going.delete(sent)
            failing.abort(fromS3(error))
          },
        )
        going.add(sent)
      }
      try {
        let number = 1
        send(first, number)
        for await (const part of others) {
          if (going.size >= PARTS_AT_ONCE) await Promise.race(going)
          stopping.throwIfAborted()
          send(part, ++number)
        }
      } catch (error) {
        failing.abort(error)
        throw error
      } finally {
        // aborting an upload while parts arrive may leave them there
        await Promise.all(going)
      }
      stopping.throwIfAborted()
      const stored = fingerprint.finish()
      await complete(s3, version, uploadId, done, stored.size)
      return stored
    },
    signal,
  )
}

/** An upload in parts, with whatever puts them there; undone if anything fails. @throws VersionExists, StoreUnavailable */
export async function inParts<T>(
  s3: S3Calls,
  version: VersionId,
  headers: ObjectHeaders,
  fill: (uploadId: string) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const at = { Bucket: s3.bucket, Key: s3.keyOf(version) }
  const create = new CreateMultipartUploadCommand({ ...at, ...headers })
  const { UploadId } = await s3.call((client, options) => client.send(create, options)).catch((error) => Promise.reject(fromS3(error)))
  if (!UploadId) throw new StoreUnavailable('the byte store gave no id for an upload in parts')
  try {
    const filled = await fill(UploadId)
    signal.throwIfAborted()
    return filled
  } catch (error) {
    const abort = new AbortMultipartUploadCommand({ ...at, UploadId })
    await s3.call((client, options) => client.send(abort, options), { limitMs: TIDY_LIMIT }).catch(() => undefined)
    if (!(error instanceof VersionExists)) await removeQuietly(s3, version)
    signal.throwIfAborted()
    throw fromS3OrOwn(error)
  }
}

/** Only what the SDK threw is translated. */
const fromS3OrOwn = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && '$metadata' in error ? fromS3(error) : error

async function sendPart(
  s3: S3Calls,
  version: VersionId,
  uploadId: string,
  { data, md5 }: Part,
  number: number,
  signal: AbortSignal,
): Promise<CompletedPart> {
  const command = new UploadPartCommand({
    Bucket: s3.bucket,
    Key: s3.keyOf(version),
    UploadId: uploadId,
    PartNumber: number,
    Body: data,
    ContentLength: data.length,
    ContentMD5: contentMd5(md5),
  })
  const output = await s3.call((client, options) => client.send(command, options), { signal })
  checkTag(output, md5)
  if (!output.ETag) throw new StoreUnavailable('the byte store gave no tag for a part')
  return { PartNumber: number, ETag: output.ETag }
}

/** @throws VersionExists; StoreUnavailable, also when the whole is not as long as its parts */
export async function complete(
  s3: S3Calls,
  version: VersionId,
  uploadId: string,
  parts: readonly CompletedPart[],
  size: number,
): Promise<void> {
  const command = new CompleteMultipartUploadCommand({
    Bucket: s3.bucket,
    Key: s3.keyOf(version),
    UploadId: uploadId,
    MultipartUpload: { Parts: [...parts] },
    IfNoneMatch: '*',
  })
  try {
    await s3.call((client, options) => client.send(command, options), { limitMs: s3.limits.objectMs })
  } catch (error) {
    // an earlier try may have done it: the upload is gone then, and the whole must be there
    const maybeDone = wasTriedAgain(error) && (isTaken(error) || nameOf(error) === 'NoSuchUpload')
    if (!maybeDone) throw isTaken(error) ? new VersionExists(version, { cause: error }) : fromS3(error)
  }
  checkSize(await headObject(s3, version), size)
}
