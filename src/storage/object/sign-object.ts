import { askToRead } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { noSuchKey } from '../errors.ts'
import { type BucketId, type ObjectKey, pathOf } from '../key.ts'
import { signedUrlLife } from '../limits.ts'
import { visibleNames } from '../rows/objects.sql.ts'

/** A token for one object that the caller may read. @throws InvalidParameter, NoSuchKey */
export async function signObject(
  deps: StorageDeps,
  call: Call,
  { bucket, key, expiresIn }: { readonly bucket: BucketId; readonly key: ObjectKey; readonly expiresIn: number },
  signal: AbortSignal,
): Promise<string> {
  const life = signedUrlLife(expiresIn, deps.now(), deps.limits)
  const [found] = await askToRead(deps, call, bucket, [visibleNames(bucket, [key])], signal)
  if (!found?.[0]) throw noSuchKey()
  return deps.signUrl({ scope: 'download', url: pathOf(bucket, key) }, life)
}
