import type { IncomingHttpHeaders } from 'node:http'
import { contentDisposition } from '../../storage/content-disposition.ts'
import { httpDate } from '../../storage/http-date.ts'
import { isActive, isHeaderText, servedType, UNKNOWN_TYPE } from '../../storage/media-type.ts'
import type { ServableObject } from '../../storage/object/read-object.ts'
import { cacheControl, keptPrivate } from './cache-control.ts'
import type { CachingOptions } from './route-deps.ts'

/** Who may get at the answer: everybody with its address, or the caller with his token alone. */
export type Audience = { readonly kind: 'everybody' | 'caller' } | { readonly kind: 'holder of the address'; readonly until: Date }

/** Nothing in it runs, loads or is framed, whatever a browser takes it for (CSP Level 3). Styles stay, since images bring them along. */
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"

/** Headers of every answer that serves an object: 200, 206 and 304, GET and HEAD. */
export function objectHeaders(
  object: ServableObject,
  audience: Audience,
  request: { readonly headers: IncomingHttpHeaders; readonly method: string; readonly download: string | undefined },
  caching: CachingOptions,
): Readonly<Record<string, string>> {
  const type = sendable(object.mediaType) ?? UNKNOWN_TYPE
  const disposition = contentDisposition(request.download)
  return {
    'accept-ranges': 'bytes',
    'content-type': servedType(type),
    ...(object.etag !== null && isHeaderText(object.etag) ? { etag: object.etag } : {}),
    'last-modified': httpDate(object.lastModified),
    'x-robots-tag': sendable(object.robotsTag) ?? 'none',
    ...freshness(object, audience, request, caching),
    ...(disposition === null ? {} : { 'content-disposition': disposition }),
    ...(isActive(type) ? { 'content-security-policy': SANDBOX } : {}),
    'cross-origin-resource-policy': audience.kind === 'caller' ? 'same-origin' : 'cross-origin',
  }
}

/** A signed address says when it ends, and nothing of what is stored. */
function freshness(
  { cacheControl: stored, etag }: ServableObject,
  audience: Audience,
  { headers, method }: { readonly headers: IncomingHttpHeaders; readonly method: string },
  caching: CachingOptions,
): Readonly<Record<string, string>> {
  if (audience.kind === 'holder of the address') return { expires: httpDate(audience.until) }
  const kept = sendable(stored) ?? 'no-cache'
  const shown = audience.kind === 'caller' ? keptPrivate(kept) : kept
  return { 'cache-control': cacheControl(shown, etag ?? '', headers, method, caching) }
}

/** Rows can be changed by SQL: what cannot be sent counts as not there. */
const sendable = (text: string | null): string | null => (text && isHeaderText(text) ? text : null)
