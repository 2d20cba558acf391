import { type CompletedPart, CopyObjectCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3'
import { invariant } from '../../std/invariant.ts'
import { isVersionId, NoSuchBytes, type StoredBytes, StoreUnavailable, VersionExists, type VersionId } from '../byte-store.ts'
import { checkSize, checkTag, SHA256 } from './checksums.ts'
import { headObject, removeQuietly } from './one-object.ts'
import { complete, inParts, NO_MEANING } from './put-parts.ts'
import type { S3Calls } from './s3-calls.ts'
import { fromS3, isMissingKey, isTaken, wasTriedAgain } from './s3-error.ts'

export type CopySizes = {
  /** above it a copy goes in parts (S3: CopyObject takes up to 5 GiB) */
  readonly wholeCopyBytes: number
  readonly copyPartBytes: number
}

const PARTS_AT_ONCE = 4

/**
 * Within the store: no byte passes through here, so what the copy hashes to is what the source was known to.
 * @throws NoSuchBytes, VersionExists, StoreUnavailable, the signal's reason
 */
export async function copyWithin(
  s3: S3Calls,
  from: VersionId,
  to: VersionId,
  known: StoredBytes,
  sizes: CopySizes,
  signal: AbortSignal,
): Promise<StoredBytes> {
  invariant(isVersionId(to), 'bytes are stored under version ids only')
  if (!isVersionId(from)) throw new NoSuchBytes(from)
  // a store that does not know the condition on copies would write over
  const taken = await headObject(s3, to, signal).catch((error) => Promise.reject(signal.aborted ? signal.reason : fromS3(error)))
  if (taken) throw new VersionExists(to)
  if (known.size > sizes.wholeCopyBytes) await copyInParts(s3, from, to, known, sizes, signal)
  else await copyWhole(s3, from, to, known, signal)
  return known
}

const sourceOf = (s3: S3Calls, from: VersionId): string => `${s3.bucket}/${s3.keyOf(from).split('/').map(encodeURIComponent).join('/')}`

async function copyWhole(s3: S3Calls, from: VersionId, to: VersionId, known: StoredBytes, signal: AbortSignal): Promise<void> {
  const command = new CopyObjectCommand({
    Bucket: s3.bucket,
    Key: s3.keyOf(to),
    CopySource: sourceOf(s3, from),
    IfNoneMatch: '*',
    MetadataDirective: 'REPLACE',
    ...NO_MEANING,
    Metadata: { [SHA256]: known.sha256 },
  })
  try {
    const output = await s3.call((client, options) => client.send(command, options), { limitMs: s3.limits.objectMs })
    checkTag({ ...output, ETag: output.CopyObjectResult?.ETag }, known.md5)
    checkSize(await headObject(s3, to), known.size)
    signal.throwIfAborted()
  } catch (error) {
    if (isMissingKey(error)) throw new NoSuchBytes(from, { cause: error })
    if (isTaken(error) && !wasTriedAgain(error)) throw new VersionExists(to, { cause: error })
    await removeQuietly(s3, to)
    signal.throwIfAborted()
    throw fromS3(error)
  }
}

async function copyInParts(
  s3: S3Calls,
  from: VersionId,
  to: VersionId,
  known: StoredBytes,
  { copyPartBytes }: CopySizes,
  signal: AbortSignal,
): Promise<void> {
  await inParts(
    s3,
    to,
    NO_MEANING,
    async (uploadId) => {
      const failing = new AbortController()
      const stopping = AbortSignal.any([signal, failing.signal])
      const ranges = rangesOf(known.size, copyPartBytes)
      const done: CompletedPart[] = []
      const left = ranges.entries()
      const work = async () => {
        for (const [i, range] of left) {
          stopping.throwIfAborted()
          done[i] = await copyPart(s3, from, to, uploadId, i + 1, range, stopping)
        }
      }
      const settled = await Promise.allSettled(
        Array.from({ length: Math.min(PARTS_AT_ONCE, ranges.length) }, () =>
          work().catch((error) => {
            failing.abort(error)
            throw error
          }),
        ),
      )
      const failed = settled.find(({ status }) => status === 'rejected')
      if (failed) throw failing.signal.reason
      await complete(s3, to, uploadId, done, known.size)
    },
    signal,
  )
}

async function copyPart(
  s3: S3Calls,
  from: VersionId,
  to: VersionId,
  uploadId: string,
  number: number,
  range: string,
  signal: AbortSignal,
): Promise<CompletedPart> {
  const command = new UploadPartCopyCommand({
    Bucket: s3.bucket,
    Key: s3.keyOf(to),
    UploadId: uploadId,
    PartNumber: number,
    CopySource: sourceOf(s3, from),
    CopySourceRange: range,
  })
  try {
    const { CopyPartResult } = await s3.call((client, options) => client.send(command, options), { limitMs: s3.limits.objectMs, signal })
    if (!CopyPartResult?.ETag) throw new StoreUnavailable('the byte store gave no tag for a part')
    return { PartNumber: number, ETag: CopyPartResult.ETag }
  } catch (error) {
    throw isMissingKey(error) ? new NoSuchBytes(from, { cause: error }) : error
  }
}

const rangesOf = (size: number, partBytes: number): readonly string[] =>
  Array.from({ length: Math.ceil(size / partBytes) }, (_, i) => `bytes=${i * partBytes}-${Math.min((i + 1) * partBytes, size) - 1}`)
