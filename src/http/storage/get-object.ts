import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findForReader, findPublic, type Reader } from '../../storage/object/find-object.ts'
import type { Operation } from '../../storage/settings.ts'
import { connectionSignal } from '../client-signals.ts'
import { anonymousCall, anyReaderOf, readerOf } from './caller.ts'
import { type Operation as Described, READ_HEADERS } from './openapi/operation.ts'
import type { RouteContext } from './route-deps.ts'
import { serveObject } from './serve-object.ts'
import { DOWNLOAD, FOCUS_POINT, type InObject, TRANSFORM } from './shapes.ts'

const GET_QUERY = { type: 'object', properties: { download: DOWNLOAD } }
const HEAD_QUERY = { type: 'object', properties: { download: DOWNLOAD, ...TRANSFORM }, ...FOCUS_POINT }

const AUTHENTICATED: Described = {
  id: 'getAuthenticatedObject',
  summary: 'Read an object as the caller',
  credentials: 'token',
  headers: READ_HEADERS,
  answer: 'bytes',
}

const ANY: Described = {
  id: 'getObject',
  summary: 'Read an object: as the caller, or anybody what is public',
  credentials: 'optional token',
  headers: READ_HEADERS,
  answer: 'bytes',
}

const PUBLIC: Described = {
  id: 'getPublicObject',
  summary: 'Read an object of a public bucket',
  credentials: 'none',
  headers: READ_HEADERS,
  answer: 'bytes',
}

/** GET and HEAD /object/authenticated/{bucketName}/{key}: for callers with a token */
export function getAuthenticatedObject(app: FastifyInstance, context: RouteContext): void {
  getAndHead(app, '/authenticated/:bucketName/*', AUTHENTICATED, (request, reply) => serveToReader(context, request, reply, readerOf))
}

/** GET and HEAD /object/{bucketName}/{key}: the same, and for anybody what is public */
export function getObject(app: FastifyInstance, context: RouteContext): void {
  getAndHead(app, '/:bucketName/*', ANY, (request, reply) => serveToReader(context, request, reply, anyReaderOf))
}

/** GET and HEAD /object/public/{bucketName}/{key}: looks at no token */
export function getPublicObject(app: FastifyInstance, context: RouteContext): void {
  getAndHead(app, '/public/:bucketName/*', PUBLIC, (request, reply) => {
    const { bucketName: bucket, '*': key } = request.params
    const call = anonymousCall(context, request, request.method === 'HEAD' ? 'storage.object.info_public' : 'storage.object.get_public')
    return serveObject(context, request, reply, { kind: 'everybody' }, bucket, () =>
      findPublic(context.storage, call, { bucket, key, detail: 'to serve' }, connectionSignal(request.raw)),
    )
  })
}

async function serveToReader(
  context: RouteContext,
  request: FastifyRequest<InObject>,
  reply: FastifyReply,
  whoReads: (context: RouteContext, request: FastifyRequest, operation: Operation) => Promise<Reader>,
): Promise<FastifyReply> {
  const { bucketName: bucket, '*': key } = request.params
  // policies tell these two apart, as they do at the peer
  const operation = request.method === 'HEAD' ? 'object.head_authenticated_info' : 'storage.object.get_authenticated'
  const reader = await whoReads(context, request, operation)
  return serveObject(context, request, reply, { kind: 'caller' }, bucket, () =>
    findForReader(context.storage, reader, { bucket, key, detail: 'to serve' }, connectionSignal(request.raw)),
  )
}

/** HEAD looks at the options for images, and GET does not. */
function getAndHead(
  app: FastifyInstance,
  url: string,
  operation: Described,
  handler: (request: FastifyRequest<InObject>, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.get<InObject>(url, { schema: { operation, querystring: GET_QUERY } }, handler)
  app.head<InObject>(url, { schema: { operation, querystring: HEAD_QUERY } }, handler)
}
