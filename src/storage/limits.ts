import { type Bytes, bytes, type Seconds } from '../std/brand.ts'
import { entityTooLarge, invalidFileSize, invalidParameter } from './errors.ts'

/** The numbers a deployment sets for the storage face. */
export type StorageLimits = {
  /** the largest object, and the largest limit a bucket may have; null: none */
  readonly maxObjectBytes: Bytes | null
  /** a further limit for uploads in one request; null: none */
  readonly maxPlainUploadBytes: Bytes | null
  /** objects a bucket may hold and still be emptied by one call; null: any number */
  readonly maxObjectsToEmpty: number | null
  /** keys in one bulk deletion; null: none */
  readonly maxBulkKeys: number | null
  /** life of an address to upload to */
  readonly uploadUrlLife: Seconds
  /** longest life a caller may give an address to read from */
  readonly maxSignedUrlLife: Seconds
  /** user metadata of one object, as JSON */
  readonly maxUserMetadataBytes: Bytes
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }

/** A bucket's limit as callers write it: a number of bytes, or `20MB` in decimal units; fractions of a byte are dropped. */
export const FILE_SIZE_PATTERN = '^[0-9]+(?:\\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$'

/** @throws InvalidRequest, EntityTooLarge when it is over the server's limit or no exact number */
export function fileSizeLimit(limit: number | string, maxObjectBytes: Bytes | null): Bytes {
  const size = typeof limit === 'number' ? limit : parseSize(limit)
  if (size > (maxObjectBytes ?? Number.MAX_SAFE_INTEGER)) throw entityTooLarge()
  return bytes(size)
}

function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([gmk]?b)$/i.exec(text)
  const factor = UNITS[match?.[2]?.toLowerCase() ?? '']
  if (!match?.[1] || factor === undefined) throw invalidFileSize()
  // 52.4 * 1e6 is 52400000.00000001 in binary: a millionth of a byte is noise
  return Math.floor(Number((Number(match[1]) * factor).toFixed(6)))
}

/** The peer's bound: further off than that, its clock arithmetic in milliseconds is no longer exact. */
const FURTHEST_SECOND = Math.floor(Number.MAX_SAFE_INTEGER / 1000)

/** @throws InvalidParameter */
export function signedUrlLife(expiresIn: number, now: Date, limits: StorageLimits): Seconds {
  const furthest = FURTHEST_SECOND - Math.floor(now.getTime() / 1000)
  if (expiresIn > furthest) throw invalidParameter('Invalid Parameter expiresIn')
  const most = limits.maxSignedUrlLife
  if (expiresIn > most)
    throw invalidParameter(`Invalid Parameter expiresIn: an address works for ${most} seconds at most (STOWAGE_SIGNED_URL_MAX_LIFETIME)`)
  return expiresIn as Seconds
}
