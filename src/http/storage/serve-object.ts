import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { serviceWorkerRefused } from '../../storage/errors.ts'
import { type ReadRequest, readObject } from '../../storage/object/read-object.ts'
import { contentRange } from '../../storage/range.ts'
import type { ObjectRow } from '../../storage/rows/objects.sql.ts'
import { connectionSignal } from '../client-signals.ts'
import { type Audience, objectHeaders } from './object-headers.ts'
import type { RouteContext } from './route-deps.ts'
import { varyByCaller } from './vary-by-caller.ts'

/** Answers a GET or HEAD with the object that `find` finds: whole, in part, or not at all because the client has it. */
export async function serveObject(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  audience: Audience,
  bucket: string,
  find: () => Promise<ObjectRow>,
): Promise<FastifyReply> {
  const { headers, method } = request
  // no script of anybody's governs the pages of our origin
  if (headers['service-worker'] !== undefined) throw serviceWorkerRefused()
  const answer = await readObject(context.storage, find, readRequest(request), bucket, connectionSignal(request.raw))
  const { object } = answer
  reply.headers(objectHeaders(object, audience, { headers, method, download: downloadOf(request.query) }, context.caching))
  if (audience.kind === 'caller') varyByCaller(reply)
  switch (answer.kind) {
    case 'not modified':
      return reply.code(304).send()
    case 'whole':
      return reply.header('content-length', String(object.size)).send(sendable(reply, answer.body) ?? undefined)
    case 'part': {
      const { first, last } = answer.range
      reply.code(206).header('content-range', contentRange(answer.range, object.size))
      return reply.header('content-length', String(last - first + 1)).send(sendable(reply, answer.body))
    }
  }
}

/** The framework gives bytes whose type it cannot read one of its own, and leaves a stream's as it was stored. */
function sendable<Body extends Readable | Buffer | null>(reply: FastifyReply, body: Body): Body | Readable {
  return Buffer.isBuffer(body) && !ORDINARY_TYPE.test(String(reply.getHeader('content-type')))
    ? Readable.from([body], { objectMode: false })
    : body
}

const ORDINARY_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;|$)/

const readRequest = ({ headers, method }: FastifyRequest): ReadRequest => ({
  conditions: {
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    ifUnmodifiedSince: headers['if-unmodified-since'],
    ifRange: one(headers['if-range']),
  },
  range: headers.range,
  headersOnly: method === 'HEAD',
})

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header)

const downloadOf = (query: unknown): string | undefined => (query as { download?: string }).download
