import type { FastifyInstance, FastifySchema } from 'fastify'
import { askedBucketId, bucketId, namedKey, newObjectKey } from '../../storage/key.ts'
import { moveObject as move } from '../../storage/object/move-object.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'

type Body = { bucketId: string; sourceKey: string; destinationKey: string; destinationBucket?: string }

const SHAPE: FastifySchema = {
  operation: {
    id: 'moveObject',
    summary: 'Rename an object, or move it into another bucket',
    credentials: 'token',
    answer: 'Message',
  },
  body: {
    type: 'object',
    required: ['bucketId', 'sourceKey', 'destinationKey'],
    properties: {
      bucketId: { type: 'string' },
      sourceKey: { type: 'string' },
      destinationBucket: { type: 'string' },
      destinationKey: { type: 'string' },
    },
  },
}

/** POST /object/move */
export function moveObject(app: FastifyInstance, context: RouteContext): void {
  app.post<{ Body: Body }>('/move', { schema: SHAPE }, async (request) => {
    const call = await callerOf(context, request, 'storage.object.move')
    const { bucketId: from, sourceKey, destinationKey, destinationBucket } = request.body
    const bucket = bucketId(from)
    const command = {
      bucket,
      key: namedKey(sourceKey),
      toBucket: destinationBucket ? askedBucketId(namedKey(destinationBucket)) : bucket,
      toKey: newObjectKey(destinationKey),
    }
    await move(context.storage, call, command, connectionSignal(request.raw))
    return { message: 'Successfully moved' }
  })
}
