import type { FastifyInstance, FastifySchema } from 'fastify'
import { bucketId, namedKey } from '../../storage/key.ts'
import { deleteObject as remove } from '../../storage/object/delete-object.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'
import type { InObject } from './shapes.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'deleteObject',
    summary: 'Delete an object',
    credentials: 'token',
    answer: 'Message',
  },
}

/** DELETE /object/{bucketName}/{key} */
export function deleteObject(app: FastifyInstance, context: RouteContext): void {
  app.delete<InObject>('/:bucketName/*', { schema: SHAPE }, async (request) => {
    const call = await callerOf(context, request, 'storage.object.delete')
    const { bucketName, '*': key } = request.params
    await remove(context.storage, call, bucketId(bucketName), namedKey(key), connectionSignal(request.raw))
    return { message: 'Successfully deleted' }
  })
}
