import type { FastifyInstance, FastifySchema } from 'fastify'
import { listBuckets as list } from '../../storage/bucket/list-buckets.ts'
import type { BucketOrder } from '../../storage/rows/buckets.sql.ts'
import { connectionSignal } from '../client-signals.ts'
import { listedBuckets } from './bucket-view.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'

type Query = {
  limit?: number
  offset?: number
  sortColumn?: BucketOrder['column']
  sortOrder?: BucketOrder['direction']
  search?: string
}

const SHAPE: FastifySchema = {
  operation: {
    id: 'listBuckets',
    summary: 'List the buckets that the caller may see',
    credentials: 'token',
    answer: ['Bucket'],
  },
  querystring: {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1 },
      offset: { type: 'integer', minimum: 0 },
      sortColumn: { type: 'string', enum: ['id', 'name', 'created_at', 'updated_at'] },
      sortOrder: { type: 'string', enum: ['asc', 'desc'] },
      search: { type: 'string' },
    },
  },
}

/** GET and HEAD /bucket */
export function listBuckets(app: FastifyInstance, context: RouteContext): void {
  app.get<{ Querystring: Query }>('/', { schema: SHAPE, exposeHeadRoute: true }, async (request) => {
    const call = await callerOf(context, request, 'storage.bucket.list')
    const { limit = null, offset = 0, search = null, sortColumn, sortOrder = 'asc' } = request.query
    const order = sortColumn ? { column: sortColumn, direction: sortOrder } : null
    const buckets = await list(context.storage, call, { limit, offset, search, order }, connectionSignal(request.raw))
    return listedBuckets(request, buckets)
  })
}
