import type { FastifyInstance, FastifySchema } from 'fastify'
import { getBucket as get } from '../../storage/bucket/get-bucket.ts'
import { askedBucketId } from '../../storage/key.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'getBucket',
    summary: 'Describe a bucket',
    credentials: 'token',
    answer: 'Bucket',
  },
}

/** GET and HEAD /bucket/{bucketId} */
export function getBucket(app: FastifyInstance, context: RouteContext): void {
  app.get<{ Params: { bucketId: string } }>('/:bucketId', { schema: SHAPE, exposeHeadRoute: true }, async (request) => {
    const call = await callerOf(context, request, 'storage.bucket.get')
    return get(context.storage, call, askedBucketId(request.params.bucketId), connectionSignal(request.raw))
  })
}
