import type { FastifyInstance, FastifySchema } from 'fastify'
import { bucketId, objectKey } from '../../storage/key.ts'
import { signObject as sign } from '../../storage/object/sign-object.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf, pathOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'
import { FOCUS_POINT, type InObject, SIGNED_LIFE, TRANSFORM } from './shapes.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'signObject',
    summary: 'Make an address that reads one object without a token',
    credentials: 'token',
    answer: 'SignedUrl',
  },
  body: {
    type: 'object',
    required: ['expiresIn'],
    properties: {
      expiresIn: SIGNED_LIFE,
      transform: { type: 'object', properties: TRANSFORM, ...FOCUS_POINT },
    },
  },
}

/** POST /object/sign/{bucketName}/{key}. Options for images are looked at and change nothing: nothing is transformed here. */
export function signObject(app: FastifyInstance, context: RouteContext): void {
  app.post<InObject & { Body: { expiresIn: number } }>('/sign/:bucketName/*', { schema: SHAPE }, async (request) => {
    const call = await callerOf(context, request, 'storage.object.sign')
    const { bucketName, '*': key } = request.params
    const command = { bucket: bucketId(bucketName), key: objectKey(key), expiresIn: request.body.expiresIn }
    const token = await sign(context.storage, call, command, connectionSignal(request.raw))
    return { signedURL: `${readablePath(pathOf(context, request))}?token=${token}` }
  })
}

/** The address as it was asked for, with what decodeURI unescapes unescaped: clients append it to theirs and escape it again. */
const readablePath = (url: string): string => decodeURI(url.split('?', 1)[0] ?? '')
