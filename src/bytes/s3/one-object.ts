import { DeleteObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import type { VersionId } from '../byte-store.ts'
import { type S3Calls, TIDY_LIMIT } from './s3-calls.ts'
import { isMissingKey } from './s3-error.ts'

/** null: there is none */
export async function headObject(s3: S3Calls, version: VersionId, signal?: AbortSignal) {
  const command = new HeadObjectCommand({ Bucket: s3.bucket, Key: s3.keyOf(version) })
  try {
    return await s3.call((client, options) => client.send(command, options), signal ? { signal } : {})
  } catch (error) {
    if (isMissingKey(error)) return null
    throw error
  }
}

/** What cannot be removed now is found by its reservation. */
export async function removeQuietly(s3: S3Calls, version: VersionId): Promise<void> {
  const command = new DeleteObjectCommand({ Bucket: s3.bucket, Key: s3.keyOf(version) })
  await s3.call((client, options) => client.send(command, options), { limitMs: TIDY_LIMIT }).catch(() => undefined)
}
