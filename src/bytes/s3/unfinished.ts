import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3'
import type { VersionId } from '../byte-store.ts'
import type { S3Calls } from './s3-calls.ts'
import { nameOf, statusOf } from './s3-error.ts'
import { versionIn } from './version-in.ts'

/** An upload in parts that has not come to its end: under way, or left behind by a process that died. Its parts take room and show nowhere else. */
export type Unfinished = { readonly version: VersionId; readonly key: string; readonly uploadId: string }

/** In order of their versions, from behind `after`. */
export async function* unfinishedUploads(s3: S3Calls, after: VersionId | null): AsyncGenerator<Unfinished, void, undefined> {
  let at: { KeyMarker?: string; UploadIdMarker?: string } = after === null ? {} : { KeyMarker: s3.keyOf(after) }
  for (;;) {
    const command = new ListMultipartUploadsCommand({ Bucket: s3.bucket, Prefix: s3.prefix, ...at })
    const page = await s3.call((client, options) => client.send(command, options)).catch(unlessUnknown)
    const found = (page.Uploads ?? []).flatMap(({ Key = '', UploadId = '' }): readonly Unfinished[] => {
      const version = versionIn(s3, Key)
      return version !== null && (after === null || version > after) ? [{ version, key: Key, uploadId: UploadId }] : []
    })
    // MinIO gives all on one page, in order of time
    yield* found.sort((a, b) => (a.version < b.version ? -1 : 1))
    const { NextKeyMarker, NextUploadIdMarker } = page
    if (!page.IsTruncated || !NextKeyMarker || NextKeyMarker === at.KeyMarker) return
    at = { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker ? { UploadIdMarker: NextUploadIdMarker } : {}) }
  }
}

/** A store that cannot list them has to forget them by itself. */
function unlessUnknown(
  error: unknown,
): Pick<ListMultipartUploadsCommandOutput, 'Uploads' | 'IsTruncated' | 'NextKeyMarker' | 'NextUploadIdMarker'> {
  if (statusOf(error) === 501) return {}
  throw error
}

/** Ends those of these versions. One that ended meanwhile is no error. */
export async function abortUnfinished(s3: S3Calls, versions: ReadonlySet<VersionId>): Promise<void> {
  for await (const { version, key, uploadId } of unfinishedUploads(s3, null)) {
    if (!versions.has(version)) continue
    const command = new AbortMultipartUploadCommand({ Bucket: s3.bucket, Key: key, UploadId: uploadId })
    await s3
      .call((client, options) => client.send(command, options))
      .catch((error) => {
        if (statusOf(error) !== 404 && nameOf(error) !== 'NoSuchUpload') throw error
      })
  }
}
