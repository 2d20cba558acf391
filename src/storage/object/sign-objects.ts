import { askToRead } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { type BucketId, namedKey, pathOf } from '../key.ts'
import { signedUrlLife } from '../limits.ts'
import { visibleNames } from '../rows/objects.sql.ts'

/** A token for each of `paths`, in their order and number; null where the caller may read no such object. @throws InvalidParameter, InvalidKey */
export async function signObjects(
  deps: StorageDeps,
  call: Call,
  { bucket, paths, expiresIn }: { readonly bucket: BucketId; readonly paths: readonly string[]; readonly expiresIn: number },
  signal: AbortSignal,
): Promise<readonly (string | null)[]> {
  const life = signedUrlLife(expiresIn, deps.now(), deps.limits)
  const keys = paths.map(namedKey)
  const [rows = []] = await askToRead(deps, call, bucket, [visibleNames(bucket, keys)], signal)
  const visible = new Set(rows.map(([name]) => name))
  return Promise.all(keys.map((key) => (visible.has(key) ? deps.signUrl({ scope: 'download', url: pathOf(bucket, key) }, life) : null)))
}
