import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { httpDate } from '../../storage/http-date.ts'
import { isHeaderText } from '../../storage/media-type.ts'
import { findForReader, findPublic } from '../../storage/object/find-object.ts'
import type { ObjectRow } from '../../storage/rows/objects.sql.ts'
import { connectionSignal } from '../client-signals.ts'
import { keptPrivate } from './cache-control.ts'
import { anonymousCall, anyReaderOf, readerOf } from './caller.ts'
import type { Operation } from './openapi/operation.ts'
import type { RouteContext } from './route-deps.ts'
import { FOCUS_POINT, type InObject, TRANSFORM } from './shapes.ts'
import { varyByCaller } from './vary-by-caller.ts'

const QUERY = { type: 'object', properties: TRANSFORM, ...FOCUS_POINT }

const optionsOf = (id: string, summary: string, credentials: Operation['credentials']) => {
  const operation: Operation = { id, summary, credentials, answer: 'ObjectInfo' }
  return { exposeHeadRoute: true, schema: { operation, querystring: QUERY } }
}

const AUTHENTICATED = optionsOf('getAuthenticatedObjectInfo', 'Describe an object to the caller', 'token')
const ANY = optionsOf('getObjectInfo', 'Describe an object: to the caller, or to anybody what is public', 'optional token')
const PUBLIC = optionsOf('getPublicObjectInfo', 'Describe an object of a public bucket', 'none')

/** GET and HEAD /object/info/authenticated/…, /object/info/public/… and /object/info/{bucketName}/{key}: what the row says of an object */
export function objectInfo(app: FastifyInstance, context: RouteContext): void {
  const toReader = (whoReads: typeof readerOf) => async (request: FastifyRequest<InObject>, reply: FastifyReply) => {
    varyByCaller(reply)
    const reader = await whoReads(context, request, 'object.get_authenticated_info')
    const object = await findForReader(context.storage, reader, asked(request), connectionSignal(request.raw))
    return describe(reply, asked(request), object, keptPrivate)
  }
  app.get<InObject>('/info/authenticated/:bucketName/*', AUTHENTICATED, toReader(readerOf))
  app.get<InObject>('/info/:bucketName/*', ANY, toReader(anyReaderOf))
  app.get<InObject>('/info/public/:bucketName/*', PUBLIC, async (request, reply) => {
    const call = anonymousCall(context, request, 'storage.object.info_public')
    const object = await findPublic(context.storage, call, asked(request), connectionSignal(request.raw))
    return describe(reply, asked(request), object, asItIs)
  })
}

type Asked = Parameters<typeof findPublic>[2]

const asked = ({ params }: FastifyRequest<InObject>): Asked => ({ bucket: params.bucketName, key: params['*'], detail: 'to describe' })

const asItIs = (stored: string): string => stored

function describe(reply: FastifyReply, { bucket, key }: Asked, object: ObjectRow, shown: (cacheControl: string) => string): FastifyReply {
  const known = JSON.stringify({
    id: object.id,
    name: key,
    version: object.version,
    bucket_id: bucket,
    size: object.size,
    content_type: object.mediaType,
    cache_control: object.cacheControl,
    etag: object.etag,
  })
  const times = JSON.stringify({ last_modified: object.updatedAt, created_at: object.createdAt })
  const { cacheControl, etag } = object
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    etag: etag !== null && isHeaderText(etag) ? etag : '',
    'last-modified': httpDate(object.lastModified),
    ...(cacheControl !== null && isHeaderText(cacheControl) ? { 'cache-control': shown(cacheControl) } : {}),
  })
  return reply.send(`${known.slice(0, -1)},"metadata":${object.userMetadata ?? 'null'},${times.slice(1)}`)
}
