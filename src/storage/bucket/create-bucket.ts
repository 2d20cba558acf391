import { allowedMediaTypes } from '../admit.ts'
import { askAsCaller } from '../ask.ts'
import { fromDatabase, sqlstateOf, UNIQUE_VIOLATION } from '../database-error.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { bucketAlreadyExists } from '../errors.ts'
import { newBucketId } from '../key.ts'
import { fileSizeLimit } from '../limits.ts'
import { insertBucket } from '../rows/buckets.sql.ts'

export type CreateBucket = {
  readonly name: string
  /** empty: the name */
  readonly id: string
  readonly public: boolean
  readonly fileSizeLimit: number | string | null
  readonly allowedMediaTypes: readonly string[] | null
}

/** @throws InvalidBucketName, EntityTooLarge, InvalidMimeType, AccessDenied, BucketAlreadyExists */
export async function createBucket(deps: StorageDeps, call: Call, command: CreateBucket, signal: AbortSignal): Promise<void> {
  const name = newBucketId(command.name)
  const bucket = {
    id: command.id === '' ? name : newBucketId(command.id),
    name,
    ownerId: call.as.subject,
    public: command.public,
    fileSizeLimit: command.fileSizeLimit === null ? null : fileSizeLimit(command.fileSizeLimit, deps.limits.maxObjectBytes),
    allowedMediaTypes: command.allowedMediaTypes && allowedMediaTypes(command.allowedMediaTypes),
  }
  await askAsCaller(deps, call, [insertBucket(bucket)], signal, 'commit', (error) =>
    sqlstateOf(error) === UNIQUE_VIOLATION ? bucketAlreadyExists({ cause: error }) : fromDatabase(error),
  )
}
