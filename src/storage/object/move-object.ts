import { admitStored } from '../admit.ts'
import { askAsCaller, askAsService, askToRead } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { bytesMissing, noSuchKey, relatedResourceMissing } from '../errors.ts'
import type { BucketId, ObjectKey } from '../key.ts'
import { findUploadRules, uploadRules } from '../rows/buckets.sql.ts'
import { findObject, foundObject, moveObject as moveStatement, type ObjectRow } from '../rows/objects.sql.ts'

export type MoveObject = {
  readonly bucket: BucketId
  readonly key: ObjectKey
  readonly toBucket: BucketId
  readonly toKey: ObjectKey
}

/**
 * One row changes, as the caller; the bytes stay where they are, so its size does not matter. Into another bucket it goes only if
 * that bucket would have taken it, which is looked at between asking row security and doing it.
 * @throws NoSuchKey, AccessDenied, ResourceAlreadyExists, RelatedResourceMissing, EntityTooLarge, InvalidMimeType
 */
export async function moveObject(deps: StorageDeps, call: Call, command: MoveObject, signal: AbortSignal): Promise<void> {
  const stays = command.bucket === command.toBucket
  if (stays) {
    // onto itself: the question is asked, and nothing changes
    await change(deps, call, command, command.key === command.toKey ? 'roll back' : 'commit', signal)
    return
  }
  const source = await change(deps, call, command, 'roll back', signal)
  const [rows] = await askAsService(deps, call, [findUploadRules(command.toBucket, command.toKey)], signal)
  const rules = uploadRules(rows?.[0])
  if (!rules) throw relatedResourceMissing()
  admitStored(source, command.toKey, rules, deps.limits)
  await change(deps, call, command, 'commit', signal)
}

async function change(
  deps: StorageDeps,
  call: Call,
  { bucket, key, toBucket, toKey }: MoveObject,
  end: 'commit' | 'roll back',
  signal: AbortSignal,
): Promise<ObjectRow> {
  const to = { bucket: toBucket, key: toKey, ownerId: call.as.subject }
  const [rows] = await askAsCaller(deps, call, [moveStatement(bucket, key, to)], signal, end)
  return foundObject(rows?.[0]) ?? refuse(deps, call, bucket, key, signal)
}

/** A row put in by hand is as good as missing to those who want its bytes, and is told apart for those who may see it. */
async function refuse(deps: StorageDeps, call: Call, bucket: BucketId, key: ObjectKey, signal: AbortSignal): Promise<never> {
  const [rows] = await askToRead(deps, call, bucket, [findObject(bucket, key, 'to serve')], signal)
  throw foundObject(rows?.[0])?.version === null ? bytesMissing() : noSuchKey()
}
