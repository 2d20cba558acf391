import type { FastifyInstance, FastifySchema } from 'fastify'
import { deleteBucket as remove } from '../../storage/bucket/delete-bucket.ts'
import { askedBucketId } from '../../storage/key.ts'
import { callerOf } from './caller.ts'
import { requestSignal } from './request-signal.ts'
import type { RouteContext } from './route-deps.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'deleteBucket',
    summary: 'Delete an empty bucket',
    credentials: 'token',
    answer: 'Message',
  },
}

/** DELETE /bucket/{bucketId}; a body says nothing and may be empty */
export function deleteBucket(app: FastifyInstance, context: RouteContext): void {
  app.delete<{ Params: { bucketId: string } }>('/:bucketId', { schema: SHAPE }, async (request, reply) => {
    const call = await callerOf(context, request, 'storage.bucket.delete')
    await remove(context.storage, call, askedBucketId(request.params.bucketId), requestSignal(reply))
    return { message: 'Successfully deleted' }
  })
}
