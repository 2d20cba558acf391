import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RoleContext } from '../auth/role-context.ts'
import type { Observe } from '../observe/observation.ts'
import type { Bytes } from '../std/brand.ts'
import { connectionSignal } from './client-signals.ts'
import { giveBackWhenSent } from './give-back.ts'
import type { Answer } from './graphql/answer.ts'
import { screenRequest } from './screen-request.ts'

/**
 * A route that is answered past the framework when nothing about a request is out of the ordinary: the framework's part of a small
 * request costs more than all the rest. The route exists in the framework too, for all other requests; both give the same answers.
 */
export type Shortcut = {
  readonly method: string
  readonly url: string
  readonly maxBodyBytes: Bytes
  /** who asks, if that is known at once and nothing in the headers needs a closer look; null sends the request the framework's way */
  readonly admit: (headers: IncomingHttpHeaders) => RoleContext | null
  /** never rejects */
  readonly answer: (as: RoleContext, request: IncomingMessage, body: Buffer, id: string, signal: AbortSignal) => Promise<Answer>
}

export type ShortcutSurroundings = {
  readonly observe: Observe
  readonly requestId: (request: IncomingMessage) => string
  readonly watchBody: (request: IncomingMessage) => void
  /** names and values in turn, of every answer */
  readonly headers: readonly string[]
  /** whether the answer's headers depend on who serves the page that asks */
  readonly variesByOrigin: boolean
}

/** Puts the shortcut before the framework's own listener. While the service closes everything goes the framework's way. */
export function takeShortcut(app: FastifyInstance, shortcut: Shortcut, around: ShortcutSurroundings): void {
  const framework = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request')
  let closing = false
  app.addHook('preClose', (done) => {
    closing = true
    done()
  })
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const as = closing ? null : whoseIsPlain(request, shortcut, around)
    if (as === null) for (const listener of framework) listener(request, response)
    else serve(request, response, as, shortcut, around)
  })
}

/** Who asks by a request that has nothing out of the ordinary, else null. */
function whoseIsPlain(request: IncomingMessage, shortcut: Shortcut, around: ShortcutSurroundings): RoleContext | null {
  if (request.method !== shortcut.method || request.url !== shortcut.url) return null
  const { headers } = request
  // absent, it compares as NaN
  if (!(Number(headers['content-length']) <= shortcut.maxBodyBytes)) return null
  if (headers.upgrade !== undefined || (around.variesByOrigin && headers.origin !== undefined)) return null
  return screenRequest(request) === null ? shortcut.admit(headers) : null
}

function serve(
  request: IncomingMessage,
  response: ServerResponse,
  as: RoleContext,
  shortcut: Shortcut,
  around: ShortcutSurroundings,
): void {
  const startedAt = performance.now()
  const id = around.requestId(request)
  let bytes: number | null = null
  response.on('close', () =>
    around.observe({
      kind: 'request',
      id,
      method: shortcut.method,
      route: shortcut.url,
      status: response.statusCode,
      ms: performance.now() - startedAt,
      role: as.role,
      bytes,
      aborted: !response.writableFinished,
    }),
  )
  around.watchBody(request)
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    const answer = await shortcut.answer(as, request, body, id, connectionSignal(request))
    if (typeof answer.body !== 'string') giveBackWhenSent(response, answer.body)
    bytes = send(response, answer, around, id)
  })
}

/** Answers the body's length. */
function send(response: ServerResponse, { status, headers, body }: Answer, around: ShortcutSurroundings, id: string): number {
  const list = [...around.headers, 'x-request-id', id]
  for (const name in headers) if (name !== 'vary') list.push(name, headers[name] ?? '')
  const vary = around.variesByOrigin ? ['Origin', headers.vary ?? []].flat().join(', ') : headers.vary
  if (vary !== undefined) list.push('vary', vary)
  if (status >= 400 && headers['cache-control'] === undefined) list.push('cache-control', 'no-store')
  const pieces = typeof body === 'string' ? [body] : body
  let bytes = 0
  for (const piece of pieces) bytes += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength
  list.push('content-length', String(bytes))
  response.writeHead(status, list)
  pieces.forEach((piece, i) => {
    if (i < pieces.length - 1) response.write(piece)
    else response.end(piece)
  })
  return bytes
}
