import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { invalidSignature } from '../../storage/errors.ts'
import { findAsService } from '../../storage/object/find-object.ts'
import { keyOfAddress } from '../../storage/url-claims.ts'
import { connectionSignal } from '../client-signals.ts'
import { anonymousCall } from './caller.ts'
import { READ_HEADERS } from './openapi/operation.ts'
import type { RouteContext } from './route-deps.ts'
import { serveObject } from './serve-object.ts'
import { DOWNLOAD, type InObject } from './shapes.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'getSignedObject',
    summary: 'Read an object by an address that was made for it',
    headers: READ_HEADERS,
    credentials: 'signed address',
    answer: 'bytes',
  },
  querystring: {
    type: 'object',
    required: ['token'],
    properties: { download: DOWNLOAD, token: { type: 'string' } },
  },
}

/** GET and HEAD /object/sign/{bucketName}/{key}?token= */
export function getSignedObject(app: FastifyInstance, context: RouteContext): void {
  // two routes: one made from the other would set a length of its own
  const url = '/sign/:bucketName/*'
  app.get<Signed>(url, { schema: SHAPE }, (request, reply) => serve(context, request, reply))
  app.head<Signed>(url, { schema: SHAPE }, (request, reply) => serve(context, request, reply))
}

type Signed = InObject & { Querystring: { token: string } }

async function serve(context: RouteContext, request: FastifyRequest<Signed>, reply: FastifyReply): Promise<FastifyReply> {
  const { bucketName: bucket } = request.params
  const grant = await context.storage.verifyUrl(request.query.token)
  if (grant.scope !== 'download') throw invalidSignature('Token is not scoped for download')
  const key = keyOfAddress(grant, { bucket, key: request.params['*'] })
  if (key === null) throw invalidSignature()
  const call = anonymousCall(context, request, 'storage.object.get_signed')
  return serveObject(context, request, reply, { kind: 'holder of the address', until: grant.expiresAt }, bucket, () =>
    findAsService(context.storage, call, { bucket, key, detail: 'to serve' }, connectionSignal(request.raw)),
  )
}
