import type { FastifyInstance, FastifySchema } from 'fastify'
import { emptyBucket as empty } from '../../storage/bucket/empty-bucket.ts'
import { askedBucketId } from '../../storage/key.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'emptyBucket',
    summary: 'Delete everything in a bucket',
    description:
      'Takes the service role. What is there at this moment goes, in the background where it is much; what is written afterwards stays.',
    credentials: 'token',
    answer: 'Message',
  },
}

/** POST /bucket/{bucketId}/empty; a body says nothing and may be empty */
export function emptyBucket(app: FastifyInstance, context: RouteContext): void {
  app.post<{ Params: { bucketId: string } }>('/:bucketId/empty', { schema: SHAPE }, async (request) => {
    const call = await callerOf(context, request, 'storage.bucket.empty')
    await empty(context.storage, call, askedBucketId(request.params.bucketId), connectionSignal(request.raw))
    return { message: 'Empty bucket has been queued. Completion may take up to an hour.' }
  })
}
