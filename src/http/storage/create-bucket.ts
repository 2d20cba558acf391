import type { FastifyInstance, FastifySchema } from 'fastify'
import { createBucket as create } from '../../storage/bucket/create-bucket.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'
import { FILE_SIZE_LIMIT, MEDIA_TYPES } from './shapes.ts'

type Body = {
  name: string
  id?: string
  public?: boolean
  file_size_limit?: number | string | null
  allowed_mime_types?: string[] | null
}

const SHAPE: FastifySchema = {
  operation: {
    id: 'createBucket',
    summary: 'Create a bucket',
    credentials: 'token',
    answer: 'BucketName',
  },
  body: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      id: { type: 'string' },
      public: { type: 'boolean' },
      type: { type: 'string', enum: ['STANDARD'] },
      file_size_limit: FILE_SIZE_LIMIT,
      allowed_mime_types: MEDIA_TYPES,
    },
  },
}

/** POST /bucket */
export function createBucket(app: FastifyInstance, context: RouteContext): void {
  app.post<{ Body: Body }>('/', { schema: SHAPE }, async (request) => {
    const call = await callerOf(context, request, 'storage.bucket.create')
    const { name, id = '', public: isPublic = false, file_size_limit: limit = null, allowed_mime_types: types = null } = request.body
    const command = { name, id, public: isPublic, fileSizeLimit: limit, allowedMediaTypes: types }
    await create(context.storage, call, command, connectionSignal(request.raw))
    return { name }
  })
}
