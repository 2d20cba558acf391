import type { FastifyInstance, FastifySchema } from 'fastify'
import { invalidSignature } from '../../storage/errors.ts'
import { keyOfAddress, type UrlClaims } from '../../storage/url-claims.ts'
import { anonymousCall } from './caller.ts'
import { WRITE_HEADERS } from './openapi/operation.ts'
import type { RouteContext } from './route-deps.ts'
import type { InObject } from './shapes.ts'
import { upload } from './upload.ts'

const SHAPE: FastifySchema = {
  operation: {
    id: 'uploadToAddress',
    summary: 'Upload by an address that was made for it',
    headers: WRITE_HEADERS,
    takesFile: true,
    credentials: 'signed address',
    answer: 'UploadToAddress',
  },
  querystring: {
    type: 'object',
    required: ['token'],
    properties: { token: { type: 'string' } },
  },
}

const WRONG_SCOPE = 'Token is not scoped for upload'

/** PUT /object/upload/sign/{bucketName}/{key}?token=: whoever signed it owns the object, and said whether it may replace one. */
export function uploadToAddress(app: FastifyInstance, context: RouteContext): void {
  app.put<InObject & { Querystring: { token: string } }>('/upload/sign/:bucketName/*', { schema: SHAPE }, async (request, reply) => {
    const { bucketName: bucket } = request.params
    const grant = await verify(context, request.query.token)
    const key = keyOfAddress(grant, { bucket, key: request.params['*'] })
    if (key === null) throw invalidSignature()
    const call = anonymousCall(context, request, 'storage.object.upload_signed')
    const uploader = { call, hasAddress: true, ownerId: grant.owner }
    const uploaded = await upload(context, request, reply, { bucket, key }, uploader, grant.upsert ? 'replace' : 'create')
    return { Key: `${uploaded.bucket}/${uploaded.key}` }
  })
}

async function verify(context: RouteContext, token: string): Promise<UrlClaims & { scope: 'upload' }> {
  const grant = await context.storage.verifyUrl(token).catch((error) => {
    // a genuine token that was not made for an address has the wrong scope, too
    throw error instanceof Error && 'code' in error && error.code === 'InvalidSignature' ? invalidSignature(WRONG_SCOPE) : error
  })
  if (grant.scope !== 'upload') throw invalidSignature(WRONG_SCOPE)
  return grant
}
