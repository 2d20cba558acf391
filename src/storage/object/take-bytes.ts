import type { Readable } from 'node:stream'
import { NoSuchBytes, type StoredBytes, TooManyBytes, type VersionId } from '../../bytes/byte-store.ts'
import type { Bytes } from '../../std/brand.ts'
import { ServiceError } from '../../std/service-error.ts'
import type { StorageDeps } from '../deps.ts'
import { badDigest, clientGone, entityTooLarge } from '../errors.ts'
import { fromStore } from '../store-error.ts'

/**
 * The one gate: whatever comes in from outside, in whatever form, comes through here. It is counted while it flows and refused at the
 * first byte too many, hashed, and durable when this resolves. The body is left as it is when it is refused, so that an answer can be sent.
 * @throws EntityTooLarge, BadDigest, Aborted, and the ServiceError that ended the body
 */
export async function takeBytes(
  deps: StorageDeps,
  version: VersionId,
  body: Readable,
  { maxBytes, md5, signal }: { readonly maxBytes: Bytes; readonly md5: string | null; readonly signal: AbortSignal },
): Promise<StoredBytes> {
  return guarded(deps, version, signal, async () => {
    const stored = await deps.bytes.put(version, body, { maxBytes, signal }).catch((error) => {
      // whoever takes the body apart may know why it broke
      throw body.errored instanceof ServiceError ? body.errored : error
    })
    if (md5 !== null && md5 !== stored.md5) throw badDigest()
    return stored
  })
}

/** The gate for bytes that are here already; null: they are not. @throws EntityTooLarge, Aborted */
export async function copyBytes(
  deps: StorageDeps,
  from: VersionId,
  to: VersionId,
  { maxBytes, known, signal }: { readonly maxBytes: Bytes; readonly known: StoredBytes | null; readonly signal: AbortSignal },
): Promise<StoredBytes | null> {
  return guarded(deps, to, signal, async () => {
    try {
      const stored = await deps.bytes.copy(from, to, { known, signal })
      if (stored.size > maxBytes) throw entityTooLarge()
      return stored
    } catch (error) {
      if (error instanceof NoSuchBytes) return null
      throw error
    }
  })
}

async function guarded<T>(deps: StorageDeps, version: VersionId, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const release = deps.hold(version)
  try {
    return await work()
  } catch (error) {
    if (error instanceof TooManyBytes) throw entityTooLarge()
    if (signal.aborted || (error instanceof Error && error.name === 'BodyBrokeOff')) throw clientGone({ cause: error })
    throw fromStore(deps, error)
  } finally {
    release()
  }
}
