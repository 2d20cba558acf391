import type { Call, StorageDeps } from '../deps.ts'
import { type BucketId, type ObjectKey, pathOf } from '../key.ts'
import { NO_METADATA, type UserMetadata } from '../user-metadata.ts'
import { announcedMetadata, askToWrite } from './write-permission.ts'

export type SignUpload = {
  readonly bucket: BucketId
  readonly key: ObjectKey
  /** whether the holder of the address may replace what is there then */
  readonly upsert: boolean
  /** what the request said of itself, for policies that look at it */
  readonly mediaType: string | null
  readonly announcedLength: number | null
  readonly userMetadata: UserMetadata | null
}

/** A token to upload one object with, for somebody who may upload it himself; he becomes the owner. @throws as an upload does */
export async function signUpload(deps: StorageDeps, call: Call, command: SignUpload, signal: AbortSignal): Promise<string> {
  const { bucket, key, upsert, mediaType, announcedLength, userMetadata } = command
  const owner = call.as.subject
  const metadata = announcedMetadata(mediaType, announcedLength)
  const candidate = { bucket, key, ownerId: owner, metadata, userMetadata: userMetadata ?? NO_METADATA }
  await askToWrite(deps, call, upsert ? 'replace' : 'create', candidate, signal)
  return deps.signUrl({ scope: 'upload', url: pathOf(bucket, key), upsert, owner }, deps.limits.uploadUrlLife)
}
