import type { FastifyInstance, FastifySchema } from 'fastify'
import { bucketId } from '../../storage/key.ts'
import { signObjects as sign } from '../../storage/object/sign-objects.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'
import { type InBucket, SIGNED_LIFE } from './shapes.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'signObjects',
    summary: 'Make such addresses for several objects',
    credentials: 'token',
    answer: ['SignedUrlOrError'],
  },
  body: {
    type: 'object',
    required: ['expiresIn', 'paths'],
    properties: {
      expiresIn: SIGNED_LIFE,
      paths: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1000 },
    },
  },
}

const NOT_SIGNED = 'Either the object does not exist or you do not have access to it'

/** POST /object/sign/{bucketName} */
export function signObjects(app: FastifyInstance, context: RouteContext): void {
  app.post<InBucket & { Body: { expiresIn: number; paths: string[] } }>('/sign/:bucketName', { schema: SHAPE }, async (request) => {
    const call = await callerOf(context, request, 'storage.object.sign_many')
    const bucket = bucketId(request.params.bucketName)
    const { expiresIn, paths } = request.body
    const tokens = await sign(context.storage, call, { bucket, paths, expiresIn }, connectionSignal(request.raw))
    return paths.map((path, i) => {
      const token = tokens[i]
      return token
        ? { error: null, path, signedURL: `/object/sign/${bucket}/${path}?token=${token}` }
        : { error: NOT_SIGNED, path, signedURL: null }
    })
  })
}
