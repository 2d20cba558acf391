import { DeleteObjectsCommand } from '@aws-sdk/client-s3'
import { isVersionId, StoreUnavailable, type VersionId } from '../byte-store.ts'
import type { S3Calls } from './s3-calls.ts'
import { abortUnfinished } from './unfinished.ts'

/** S3: DeleteObjects. */
const MOST_IN_A_CALL = 1_000

/** Objects, and what is left of uploads in parts. @throws AggregateError naming what the store would not remove; the SDK's errors */
export async function deleteObjects(s3: S3Calls, versions: readonly VersionId[]): Promise<void> {
  const ours = versions.filter(isVersionId)
  if (ours.length === 0) return
  await abortUnfinished(s3, new Set(ours))
  const errors: Error[] = []
  for (let at = 0; at < ours.length; at += MOST_IN_A_CALL) {
    const command = new DeleteObjectsCommand({
      Bucket: s3.bucket,
      Delete: { Quiet: true, Objects: ours.slice(at, at + MOST_IN_A_CALL).map((version) => ({ Key: s3.keyOf(version) })) },
    })
    const { Errors = [] } = await s3.call((client, options) => client.send(command, options))
    for (const { Key, Code, Message } of Errors)
      if (Code !== 'NoSuchKey') errors.push(new StoreUnavailable(`the byte store does not remove ${Key}: ${Code}: ${Message}`))
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, `${errors.length} versions were not removed`)
}
