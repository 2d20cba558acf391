import type { FastifyInstance, FastifySchema } from 'fastify'
import { deleteBucket as remove } from '../../storage/bucket/delete-bucket.ts'
import { askedBucketId } from '../../storage/key.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
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
  app.delete<{ Params: { bucketId: string } }>('/:bucketId', { schema: SHAPE }, async (request) => {
    const call = await callerOf(context, request, 'storage.bucket.delete')
    await remove(context.storage, call, askedBucketId(request.params.bucketId), connectionSignal(request.raw))
    return { message: 'Successfully deleted' }
  })
}
