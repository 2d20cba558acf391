import { isVersionId, type VersionId } from '../byte-store.ts'
import type { S3Calls } from './s3-calls.ts'

/** The version whose key this is; null for anything else that lies in the bucket. */
export function versionIn(s3: S3Calls, key: string): VersionId | null {
  const name = key.slice(key.lastIndexOf('/') + 1)
  return isVersionId(name) && s3.keyOf(name) === key ? name : null
}
