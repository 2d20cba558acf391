import { type Bytes, bytes } from '../std/brand.ts'
import { entityTooLarge, mediaTypeNotAllowed, tooManyMediaTypes, unusableHeaderValue } from './errors.ts'
import { isFolderPlaceholder } from './key.ts'
import type { StorageLimits } from './limits.ts'
import { isHeaderText, UNKNOWN_TYPE } from './media-type.ts'
import { escapeControls, toWellFormed } from './well-formed.ts'

/** What a bucket asks of its objects. */
export type BucketRules = {
  readonly fileSizeLimit: Bytes | null
  /** null or empty: any */
  readonly allowedMediaTypes: readonly string[] | null
}

/** The most an upload may bring: the least of the server's limits and the bucket's. A folder's placeholder is empty. */
export function maxUploadBytes(key: string, rules: BucketRules, limits: StorageLimits): Bytes {
  if (isFolderPlaceholder(key)) return bytes(0)
  const all = [rules.fileSizeLimit, limits.maxObjectBytes, limits.maxPlainUploadBytes].filter((limit) => limit !== null)
  return bytes(Math.min(Number.MAX_SAFE_INTEGER, ...all))
}

/** The most that may come into a bucket by copy or move: no request brings it, so the limit for single requests does not apply. */
export function maxStoredBytes(key: string, rules: BucketRules, limits: StorageLimits): Bytes {
  return maxUploadBytes(key, rules, { ...limits, maxPlainUploadBytes: null })
}

/**
 * What a bucket takes of objects that are here already.
 * @throws EntityTooLarge, InvalidMimeType
 */
export function admitStored(
  { size, mediaType }: { readonly size: number | null; readonly mediaType: string | null },
  key: string,
  rules: BucketRules,
  limits: StorageLimits,
): void {
  admitSize(size === null ? null : bytes(size), maxStoredBytes(key, rules, limits))
  admitMediaType(mediaType ?? UNKNOWN_TYPE, key, rules)
}

/** @throws EntityTooLarge */
export function admitSize(declared: Bytes | null, max: Bytes): void {
  if (declared !== null && declared > max) throw entityTooLarge()
}

/** @throws InvalidMimeType, also for what could not be sent back in a header */
export function admitMediaType(type: string, key: string, rules: BucketRules): void {
  if (type.length > MAX_HEADER_CHARACTERS || !isHeaderText(type)) throw mediaTypeNotAllowed(escapeControls(type.slice(0, 50)))
  if (!rules.allowedMediaTypes?.length || isFolderPlaceholder(key)) return
  if (!rules.allowedMediaTypes.some((allowed) => admits(allowed, type))) throw mediaTypeNotAllowed(type)
}

// As the peer compares: letter by letter, parameters included, a star for every subtype. The list of everything takes everything here; the peer's takes nothing.
function admits(allowed: string, type: string): boolean {
  if (allowed === '*/*' || allowed === type) return allowed.includes('/')
  const slash = allowed.indexOf('/')
  return slash > 0 && allowed.slice(slash) === '/*' && type.startsWith(allowed.slice(0, slash + 1))
}

/** @throws InvalidHeaderValue for what could not be sent back in a header */
export function admitCacheControl(value: string): void {
  if (value.length > MAX_HEADER_CHARACTERS || !isHeaderText(value)) throw unusableHeaderValue('cache-control', value)
}

/** Of a value that is kept to be sent back: several of them fit into what clients take as one header section. */
const MAX_HEADER_CHARACTERS = 1000

const MAX_ALLOWED_TYPE_CHARACTERS = 1000
/** Every listing of buckets shows the list of each. */
const MAX_ALLOWED_CHARACTERS = 65_536

/** `type/subtype` with at most a charset, or anything that ends in a star. */
const ALLOWED_TYPE = /^(?:[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;\s*charset=[\w-]+)?|[\x20-\x7e]*\*)$/

/** A bucket's list as it is stored: empty entries dropped. @throws InvalidMimeType, EntityTooLarge */
export function allowedMediaTypes(types: readonly string[]): readonly string[] {
  const kept = types.filter((type) => type !== '')
  for (const type of kept) {
    if (type.length > MAX_ALLOWED_TYPE_CHARACTERS || !ALLOWED_TYPE.test(type)) throw mediaTypeNotAllowed(toWellFormed(type))
  }
  if (kept.join('').length > MAX_ALLOWED_CHARACTERS) throw tooManyMediaTypes(MAX_ALLOWED_CHARACTERS)
  return kept
}
