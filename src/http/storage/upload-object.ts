import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WriteMode } from '../../storage/object/write-permission.ts'
import type { Operation } from '../../storage/settings.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'
import type { InObject } from './shapes.ts'
import { upload } from './upload.ts'
import { writeMode } from './upload-headers.ts'

/** POST /object/{bucketName}/{key}: creates, and replaces with `x-upsert: true`. PUT: replaces, and creates. */
export function uploadObject(app: FastifyInstance, context: RouteContext): void {
  app.post<InObject>('/:bucketName/*', (request, reply) =>
    take(context, request, reply, 'storage.object.upload', writeMode(request.headers)),
  )
  app.put<InObject>('/:bucketName/*', (request, reply) => take(context, request, reply, 'storage.object.upload_update', 'replace'))
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
