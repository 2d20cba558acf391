import type { FastifyInstance, FastifySchema } from 'fastify'
import { bucketId } from '../../storage/key.ts'
import { listObjectsV2 as list } from '../../storage/object/list-objects-v2.ts'
import type { PageQuery } from '../../storage/rows/list.sql.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'
import type { InBucket } from './shapes.ts'

type Body = {
  prefix?: string
  limit?: number
  cursor?: string
  with_delimiter?: boolean
  sortBy?: { column: PageQuery['order']['column']; order?: PageQuery['order']['direction'] }
}

const SHAPE: FastifySchema = {
  operation: {
    id: 'listObjectsV2',
    summary: 'List a bucket or a folder, page by cursor',
    credentials: 'token',
    answer: 'ObjectPage',
  },
  body: {
    type: 'object',
    properties: {
      prefix: { type: 'string' },
      limit: { type: 'integer', minimum: 1 },
      cursor: { type: 'string' },
      with_delimiter: { type: 'boolean' },
      sortBy: {
        type: 'object',
        required: ['column'],
        properties: {
          column: { type: 'string', enum: ['name', 'updated_at', 'created_at'] },
          order: { type: 'string', enum: ['asc', 'desc'] },
        },
      },
    },
  },
}

/** POST /object/list-v2/{bucketName} */
export function listObjectsV2(app: FastifyInstance, context: RouteContext): void {
  app.post<InBucket & { Body: Body }>('/list-v2/:bucketName', { schema: SHAPE }, async (request, reply) => {
    const call = await callerOf(context, request, 'storage.object.list_v2', 'token empty')
    const bucket = bucketId(request.params.bucketName)
    const { prefix = '', limit = 1_000, cursor = '', with_delimiter: oneLevel = false, sortBy } = request.body
    const order = { column: sortBy?.column ?? ('name' as const), direction: sortBy?.order ?? ('asc' as const) }
    const page = await list(context.storage, call, bucket, { prefix, limit, cursor, oneLevel, order }, connectionSignal(request.raw))
    return reply.type('application/json; charset=utf-8').send(page)
  })
}
