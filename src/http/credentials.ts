import type { IncomingHttpHeaders } from 'node:http'

/**
 * The session token of a request as it was sent: `Authorization: Bearer <token>` with the scheme in any case (RFC 9110 11.1), or the
 * bare token; else the query parameter `authorization`. The header wins, so that an address cannot lift a caller's rights.
 * null: neither is there. '' stands for one that is there and empty.
 */
export function bearerOf(headers: IncomingHttpHeaders, query: unknown): string | null {
  if (headers.authorization !== undefined) return withoutScheme(headers.authorization)
  const parameter = inQuery(query)
  if (parameter === undefined) return null
  return typeof parameter === 'string' ? withoutScheme(parameter) : ''
}

/** True if the query names a token, used or not: such an answer must stay out of caches. */
export const hasTokenInQuery = (query: unknown): boolean => inQuery(query) !== undefined

/** The header `apiKey` of GraphQL requests, in any case. */
export function apiKeyOf(headers: IncomingHttpHeaders): string | null {
  const { apikey } = headers
  return typeof apikey === 'string' ? apikey.trim() : null
}

/** An address as it may be shown or handed on: the session token that its query may carry is left out. */
export function withoutCredentials(address: string): string {
  const at = address.indexOf('?')
  if (at < 0) return address
  const shown = address
    .slice(at + 1)
    .split('&')
    .map((parameter) => {
      const [name = ''] = parameter.split('=', 1)
      return unescaped(name).toLowerCase().startsWith('authorization') ? `${name}=` : parameter
    })
  return `${address.slice(0, at)}?${shown.join('&')}`
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const withoutScheme = (text: string): string => text.replace(/^\s*bearer(\s+|$)/i, '').trim()

const inQuery = (query: unknown): unknown =>
  typeof query === 'object' && query !== null && Object.hasOwn(query, 'authorization')
    ? (query as { authorization: unknown }).authorization
    : undefined
