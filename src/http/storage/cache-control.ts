import type { IncomingHttpHeaders } from 'node:http'
import type { CachingOptions } from './route-deps.ts'

/** Seconds that a cache may go on giving what it has while it asks for what is new. */
const STALE_WHILE_REVALIDATE = 'stale-while-revalidate=30'

/** What lets a shared cache keep the answer to a request with a token (RFC 9111 3.5). */
const SHARES = /^(?:public|s-maxage=.*|must-revalidate|proxy-revalidate)$/i
const SHARED_ONLY = /^(?:public|s-maxage=.*|proxy-revalidate)$/i

/** What an uploader says of an object, where the answer is for one caller: it may not hand it to shared caches. */
export function keptPrivate(stored: string): string {
  const directives = stored.split(',').map((directive) => directive.trim())
  if (!directives.some((directive) => SHARES.test(directive))) return stored
  return ['private', ...directives.filter((directive) => !SHARED_ONLY.test(directive) && directive.toLowerCase() !== 'private')].join(', ')
}

/**
 * What is stored, and for a cache that says what it has: how long it may keep ours, and that its own has had its day.
 * HEAD is asked by caches that decide what to do with what they have, hence its own word.
 */
export function cacheControl(
  stored: string,
  etag: string,
  headers: IncomingHttpHeaders,
  method: string,
  { sharedMaxAge, etagHeaders }: CachingOptions,
): string {
  const had = etagHeaders.map((name) => headers[name]).find((value) => value)
  if (!had) return stored
  const parts = [stored]
  const stale = had !== etag
  if (method === 'HEAD') {
    if (stale) return `${stored}, must-revalidate`
    if (sharedMaxAge > 0) parts.push(`s-maxage=${sharedMaxAge}`)
    return parts.join(', ')
  }
  if (sharedMaxAge > 0) parts.push(`s-maxage=${sharedMaxAge}`)
  if (stale) parts.push(STALE_WHILE_REVALIDATE)
  return parts.join(', ')
}
