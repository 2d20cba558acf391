import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type Bytes, bytes } from '../../std/brand.ts'
import type { StoredBytes, VersionId } from '../byte-store.ts'
import { createTurnstile } from '../turnstile.ts'
import { headObject } from './one-object.ts'
import { putObject } from './put-object.ts'
import { readObject } from './read-object.ts'
import { createS3Calls, type S3Limits, type S3Place } from './s3-calls.ts'
import { fromS3 } from './s3-error.ts'

export type FoundObject = {
  readonly size: number | null
  /** with its quotes, as S3 gives it */
  readonly etag: string | null
  readonly mediaType: string | null
  readonly cacheControl: string | null
}

/** A bucket with somebody else's keys, to read from and to write to. */
export type PlainBucket = {
  /** null: there is none */
  readonly find: (key: string, signal: AbortSignal) => Promise<FoundObject | null>
  /** @throws NoSuchBytes, StoreUnavailable */
  readonly get: (key: string, signal: AbortSignal) => Promise<Readable>
  /** @throws VersionExists, StoreUnavailable */
  readonly put: (key: string, body: Readable, how: PutHow, signal: AbortSignal) => Promise<StoredBytes>
  readonly close: () => void
}

export type PutHow = { readonly mediaType: string; readonly cacheControl: string; readonly maxBytes: Bytes }

const PART = bytes(8 * 2 ** 20)
const PARTS_AT_ONCE = 8

export function createPlainBucket(place: S3Place, limits: S3Limits): PlainBucket {
  const calls = createS3Calls(place, limits)
  const sending = createTurnstile(PARTS_AT_ONCE)
  // keys of the store come from versions; here they are as they are
  const at = (key: string) => ({ ...calls, keyOf: () => key })
  const anyVersion = () => randomUUID() as VersionId
  return {
    find: async (key, signal) => {
      const found = await headObject(at(key), anyVersion(), signal).catch((error) =>
        Promise.reject(signal.aborted ? signal.reason : fromS3(error)),
      )
      if (found === null) return null
      return {
        size: found.ContentLength ?? null,
        etag: found.ETag ?? null,
        mediaType: found.ContentType ?? null,
        cacheControl: found.CacheControl ?? null,
      }
    },
    get: (key, signal) => readObject(at(key), anyVersion(), null, signal),
    put: (key, body, { mediaType, cacheControl, maxBytes }, signal) =>
      putObject(
        { s3: at(key), partBytes: PART, sending, headers: { ContentType: mediaType, CacheControl: cacheControl } },
        anyVersion(),
        body,
        {
          maxBytes,
          signal,
        },
      ),
    close: calls.close,
  }
}
