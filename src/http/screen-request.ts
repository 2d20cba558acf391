import type { IncomingMessage } from 'node:http'

export type Refusal = { readonly status: number; readonly message: string }

/**
 * Requests that the parser lets through and that two programs in a row might read differently (RFC 9112 3.2, 6.1; RFC 9110 7.2):
 * refused before anything else looks at them.
 */
export function screenRequest(request: IncomingMessage): Refusal | null {
  const { headers, rawHeaders, url = '' } = request
  if (request.httpVersionMajor !== 1) return { status: 400, message: 'The HTTP version of the request is not supported' }
  if (url.includes('#')) return { status: 400, message: 'The address of a request has no fragment' }
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1
  // HTTP/1.0 has no such header
  const wanted = request.httpVersionMinor > 0 ? 1 : 0
  if (hosts < wanted || hosts > 1 || headers.host === '') return { status: 400, message: 'A request names one host' }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return { status: 501, message: 'The only transfer coding is chunked' }
  return null
}
