import type { FastifyInstance, FastifySchema } from 'fastify'
import { bucketId } from '../../storage/key.ts'
import { listObjects as list } from '../../storage/object/list-objects.ts'
import type { LevelQuery } from '../../storage/rows/list.sql.ts'
import { connectionSignal } from '../client-signals.ts'
import { giveBackWhenSent } from '../give-back.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'
import type { InBucket } from './shapes.ts'

type Body = {
  prefix: string
  limit?: number
  offset?: number
  search?: string
  sortBy?: { column: LevelQuery['order']['column']; order?: LevelQuery['order']['direction'] }
}

const SHAPE: FastifySchema = {
  operation: {
    id: 'listObjects',
    summary: 'List one level of a bucket, page by offset',
    credentials: 'token',
    answer: ['ListedObject'],
  },
  body: {
    type: 'object',
    required: ['prefix'],
    properties: {
      prefix: { type: 'string' },
      limit: { type: 'integer', minimum: 1 },
      offset: { type: 'integer', minimum: 0 },
      sortBy: {
        type: 'object',
        required: ['column'],
        properties: {
          column: { type: 'string', enum: ['name', 'updated_at', 'created_at', 'last_accessed_at'] },
          order: { type: 'string', enum: ['asc', 'desc'] },
        },
      },
      search: { type: 'string' },
    },
  },
}

/** POST /object/list/{bucketName} */
export function listObjects(app: FastifyInstance, context: RouteContext): void {
  app.post<InBucket & { Body: Body }>('/list/:bucketName', { schema: SHAPE }, async (request, reply) => {
    const call = await callerOf(context, request, 'storage.object.list')
    const bucket = bucketId(request.params.bucketName)
    const { prefix, limit = 100, offset = 0, search = '', sortBy } = request.body
    const order = { column: sortBy?.column ?? ('name' as const), direction: sortBy?.order ?? ('asc' as const) }
    const entries = await list(context.storage, call, bucket, { prefix, search, limit, offset, order }, connectionSignal(request.raw))
    giveBackWhenSent(reply.raw, [entries])
    return reply.type('application/json; charset=utf-8').send(entries)
  })
}
