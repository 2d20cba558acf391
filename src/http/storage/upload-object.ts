import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WriteMode } from '../../storage/object/write-permission.ts'
import type { Operation } from '../../storage/settings.ts'
import { callerOf } from './caller.ts'
import { WRITE_HEADERS } from './openapi/operation.ts'
import type { RouteContext } from './route-deps.ts'
import type { InObject } from './shapes.ts'
import { upload } from './upload.ts'
import { writeMode } from './upload-headers.ts'

const CREATE = {
  operation: {
    id: 'uploadObject',
    summary: 'Upload an object',
    credentials: 'token',
    headers: WRITE_HEADERS,
    takesFile: true,
    answer: 'Upload',
  },
} as const

const { 'x-upsert': _, ...REPLACE_HEADERS } = WRITE_HEADERS

const REPLACE = {
  operation: {
    id: 'replaceObject',
    summary: 'Upload an object, over what may be there',
    credentials: 'token',
    headers: REPLACE_HEADERS,
    takesFile: true,
    answer: 'Upload',
  },
} as const

/** POST /object/{bucketName}/{key}: creates, and replaces with `x-upsert: true`. PUT: replaces, and creates. */
export function uploadObject(app: FastifyInstance, context: RouteContext): void {
  app.post<InObject>('/:bucketName/*', { schema: CREATE }, (request, reply) =>
    take(context, request, reply, 'storage.object.upload', writeMode(request.headers)),
  )
  app.put<InObject>('/:bucketName/*', { schema: REPLACE }, (request, reply) =>
    take(context, request, reply, 'storage.object.upload_update', 'replace'),
  )
}

async function take(
  context: RouteContext,
  request: FastifyRequest<InObject>,
  reply: FastifyReply,
  operation: Operation,
  mode: WriteMode,
): Promise<{ Id: string; Key: string }> {
  const call = await callerOf(context, request, operation)
  const uploader = { call, hasAddress: false, ownerId: call.as.subject }
  const target = { bucket: request.params.bucketName, key: request.params['*'] }
  const { id, bucket, key } = await upload(context, request, reply, target, uploader, mode)
  return { Id: id, Key: `${bucket}/${key}` }
}
