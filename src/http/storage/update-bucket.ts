import type { FastifyInstance, FastifySchema } from 'fastify'
import { updateBucket as update } from '../../storage/bucket/update-bucket.ts'
import { askedBucketId } from '../../storage/key.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'
import { FILE_SIZE_LIMIT, MEDIA_TYPES } from './shapes.ts'

type Body = {
  public?: boolean
  file_size_limit?: number | string | null
  allowed_mime_types?: string[] | null
}

const SHAPE: FastifySchema = {
  operation: {
    id: 'updateBucket',
    summary: 'Change a bucket; members that are absent stay as they are',
    credentials: 'token',
    answer: 'Message',
  },
  body: {
    type: 'object',
    properties: {
      public: { type: 'boolean' },
      file_size_limit: FILE_SIZE_LIMIT,
      allowed_mime_types: MEDIA_TYPES,
    },
    anyOf: [{ required: ['public'] }, { required: ['file_size_limit'] }, { required: ['allowed_mime_types'] }],
  },
}

/** PUT /bucket/{bucketId} */
export function updateBucket(app: FastifyInstance, context: RouteContext): void {
  app.put<{ Params: { bucketId: string }; Body: Body }>('/:bucketId', { schema: SHAPE }, async (request) => {
    const call = await callerOf(context, request, 'storage.bucket.update')
    const { public: isPublic, file_size_limit: fileSizeLimit, allowed_mime_types: allowedMediaTypes } = request.body
    const changes = { public: isPublic, fileSizeLimit, allowedMediaTypes }
    await update(context.storage, call, askedBucketId(request.params.bucketId), changes, connectionSignal(request.raw))
    return { message: 'Successfully updated' }
  })
}
