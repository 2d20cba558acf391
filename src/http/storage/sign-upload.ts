import type { FastifyInstance, FastifySchema } from 'fastify'
import { bucketId, newObjectKey } from '../../storage/key.ts'
import { signUpload as sign } from '../../storage/object/sign-upload.ts'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'
import type { InObject } from './shapes.ts'
import { contentLength, metadataHeader, writeMode } from './upload-headers.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'signUpload',
    summary: 'Make an address that uploads one object without a token',
    headers: { 'x-upsert': 'Whether the address may replace an object that is there then: `true`.' },
    credentials: 'token',
    answer: 'SignedUpload',
  },
}

/** POST /object/upload/sign/{bucketName}/{key}. What the request says of itself stands for the upload, where policies look at it. */
export function signUpload(app: FastifyInstance, context: RouteContext): void {
  app.post<InObject>('/upload/sign/:bucketName/*', { schema: SHAPE }, async (request) => {
    const call = await callerOf(context, request, 'storage.object.sign_upload_url')
    const { headers, params } = request
    const bucket = bucketId(params.bucketName)
    const key = newObjectKey(params['*'])
    const command = {
      bucket,
      key,
      upsert: writeMode(headers) === 'replace',
      mediaType: headers['content-type'] ?? null,
      announcedLength: contentLength(headers),
      userMetadata: metadataHeader(headers, context.storage.limits.maxUserMetadataBytes),
    }
    const token = await sign(context.storage, call, command, connectionSignal(request.raw))
    return { url: `/object/upload/sign/${bucket}/${key}?token=${token}`, token }
  })
}
