import type { FastifyInstance, FastifySchema } from 'fastify'
import { getBucket as get } from '../../storage/bucket/get-bucket.ts'
import { askedBucketId } from '../../storage/key.ts'
import { callerOf } from './caller.ts'
import { requestSignal } from './request-signal.ts'
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
  app.get<{ Params: { bucketId: string } }>('/:bucketId', { schema: SHAPE, exposeHeadRoute: true }, async (request, reply) => {
    const call = await callerOf(context, request, 'storage.bucket.get')
    return get(context.storage, call, askedBucketId(request.params.bucketId), requestSignal(reply))
  })
}
