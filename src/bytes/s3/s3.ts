import { type Bytes, bytes } from '../../std/brand.ts'
import { type ByteStore, VersionExists } from '../byte-store.ts'
import type { StoreMarker } from '../store-marker.ts'
import type { StoreNote } from '../store-note.ts'
import { createTurnstile } from '../turnstile.ts'
import { copyWithin } from './copy-object.ts'
import { deleteObjects } from './delete-objects.ts'
import { listVersions } from './list-objects.ts'
import { createS3StoreMarker, createS3StoreNote } from './marker.ts'
import { putObject } from './put-object.ts'
import { readObject } from './read-object.ts'
import { createS3Calls, type S3Limits, type S3Place } from './s3-calls.ts'
import { fromS3 } from './s3-error.ts'

export type S3StoreOptions = {
  readonly place: S3Place
  readonly limits: S3Limits
  /** of a part, at least; S3 takes no less than 5 MiB for any but the last */
  readonly partBytes?: Bytes
  /** above it a copy within the store goes in parts */
  readonly wholeCopyBytes?: number
  readonly copyPartBytes?: number
}

const MIB = 2 ** 20
const GIB = 2 ** 30
const PART = bytes(8 * MIB)
/** Parts on their way of all bodies together. */
const PARTS_AT_ONCE = 8
const COPY_LIMIT = 5 * GIB
const COPY_PART = 512 * MIB

/**
 * Bytes in a bucket of an S3-compatible store, one object a version. A version is written once, by condition; the store checks what it is
 * sent by its MD5, and what it says it has is checked here.
 */
export function createS3ByteStore(options: S3StoreOptions): {
  readonly store: ByteStore
  readonly marker: StoreMarker
  readonly noteOf: <T>(name: string, understand: (json: unknown) => T) => StoreNote<T>
} {
  const { place, limits, partBytes = PART, wholeCopyBytes = COPY_LIMIT, copyPartBytes = COPY_PART } = options
  const s3 = createS3Calls(place, limits)
  const putDeps = { s3, partBytes, sending: createTurnstile(PARTS_AT_ONCE) }
  const store: ByteStore = {
    put: (version, body, how) => putObject(putDeps, version, body, how),
    get: (version, { range, signal }) => readObject(s3, version, range, signal),
    copy: async (from, to, { known, signal }) => {
      signal.throwIfAborted()
      if (known !== null) return copyWithin(s3, from, to, known, { wholeCopyBytes, copyPartBytes }, signal)
      const source = await readObject(s3, from, null, signal)
      try {
        return await putObject(putDeps, to, source, { maxBytes: bytes(Number.MAX_SAFE_INTEGER), signal })
      } finally {
        source.destroy()
      }
    },
    delete: (versions) => deleteObjects(s3, versions).catch(rethrow),
    list: (after, limit) => listVersions(s3, after, limit).catch(rethrow),
    close: async () => s3.close(),
  }
  return { store, marker: createS3StoreMarker(s3), noteOf: (name, understand) => createS3StoreNote(s3, name, understand) }
}

function rethrow(error: unknown): never {
  throw error instanceof AggregateError || error instanceof VersionExists ? error : fromS3(error)
}
