import type { IncomingHttpHeaders } from 'node:http'
import type { Bytes } from '../../std/brand.ts'
import { invalidRequest } from '../../storage/errors.ts'
import type { WriteMode } from '../../storage/object/write-permission.ts'
import { type UserMetadata, userMetadata } from '../../storage/user-metadata.ts'

/** `x-upsert: true`, in exactly these letters. */
export const writeMode = (headers: IncomingHttpHeaders): WriteMode => (headers['x-upsert'] === 'true' ? 'replace' : 'create')

/** `x-metadata`: a JSON object in base64; what is none counts as not sent. @throws as {@link userMetadata} */
export function metadataHeader(headers: IncomingHttpHeaders, maxBytes: Bytes): UserMetadata | null {
  const header = headers['x-metadata']
  return typeof header === 'string' ? userMetadata(Buffer.from(header, 'base64').toString('utf8'), maxBytes) : null
}

/** Content-Length; null where the body is chunked or there is none. No object is as long as the largest exact number. */
export function contentLength(headers: IncomingHttpHeaders): number | null {
  const length = Number(headers['content-length'] ?? Number.NaN)
  return Number.isNaN(length) ? null : Math.min(length, Number.MAX_SAFE_INTEGER)
}

/** Content-MD5 (RFC 1864) as lower-case hex. @throws InvalidRequest for what is no digest */
export function contentMd5(headers: IncomingHttpHeaders): string | null {
  const header = headers['content-md5']
  if (typeof header !== 'string' || header === '') return null
  if (!/^[A-Za-z0-9+/]{22}==$/.test(header)) throw invalidRequest('Invalid Content-MD5 header')
  return Buffer.from(header, 'base64').toString('hex')
}
