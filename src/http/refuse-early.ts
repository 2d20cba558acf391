import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { withoutCredentials } from './credentials.ts'

/** Headers of every refusal, also of those that no hook sees. */
const STANDING = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' } as const

/** A sender in full flow must come to read the answer: closed under him, TCP throws it away (RFC 9112 9.6). */
const LINGER_MS = 1_000

/** By the parser's code: what was wrong with bytes that are no request. */
const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Client Timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Exceeded maximum allowed HTTP header size'],
}

const refused = new WeakSet<Duplex>()

/** Answers bytes that are no HTTP request, unless an answer is under way on the connection, and closes it. */
export function refuseUnparsed(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (refused.has(socket)) return
  refused.add(socket)
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const [status, message] = REFUSALS[error.code ?? ''] ?? [400, 'Client Error']
  const body = JSON.stringify({ error: STATUS_CODES[status], message, statusCode: status })
  const headers = { ...STANDING, 'content-type': 'application/json', 'content-length': String(body.length), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}

/** Node keeps the answer of the moment at the socket; a second status line must not get into its body. */
const isAnswering = (socket: Duplex): boolean => (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true

/** Answers a request that expects something else than a go-ahead for its body (RFC 9110 10.1.1). */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify({ error: STATUS_CODES[417], message: 'The only expectation is 100-continue', statusCode: 417 })
  response.writeHead(417, { ...STANDING, 'content-type': 'application/json', 'content-length': String(body.length), connection: 'close' })
  response.end(body)
}

/** Answers a request whose address the router cannot read: escapes that are none, or a part that is too long. */
export function refuseUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode = 400, code, message } = error
  const body = { error: 'Bad Request', code, message: message.replace(request.url, withoutCredentials), statusCode }
  reply
    .code(statusCode)
    .headers(STANDING)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(body)))
}
