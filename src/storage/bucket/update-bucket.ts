import { allowedMediaTypes } from '../admit.ts'
import { askAsCaller } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { noSuchBucket } from '../errors.ts'
import type { BucketId } from '../key.ts'
import { fileSizeLimit } from '../limits.ts'
import { updateBucket as updateStatement } from '../rows/buckets.sql.ts'

/** Absent members stay as they are; null takes a limit away. */
export type UpdateBucket = {
  readonly public?: boolean | undefined
  readonly fileSizeLimit?: number | string | null | undefined
  readonly allowedMediaTypes?: readonly string[] | null | undefined
}

/** @throws EntityTooLarge, InvalidMimeType; NoSuchBucket when it is missing or the caller may not change it */
export async function updateBucket(deps: StorageDeps, call: Call, id: BucketId, command: UpdateBucket, signal: AbortSignal): Promise<void> {
  const { fileSizeLimit: limit, allowedMediaTypes: types } = command
  const changes = {
    ...(command.public === undefined ? {} : { public: command.public }),
    ...(limit === undefined ? {} : { fileSizeLimit: limit === null ? null : fileSizeLimit(limit, deps.limits.maxObjectBytes) }),
    ...(types === undefined ? {} : { allowedMediaTypes: types && allowedMediaTypes(types) }),
  }
  const [rows] = await askAsCaller(deps, call, [updateStatement(id, changes)], signal)
  if (!rows?.[0]) throw noSuchBucket()
}
