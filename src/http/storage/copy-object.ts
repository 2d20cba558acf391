import type { FastifyInstance, FastifySchema } from 'fastify'
import { askedBucketId, bucketId, namedKey, newObjectKey } from '../../storage/key.ts'
import { copyObject as copy } from '../../storage/object/copy-object.ts'
import { requestSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import { WRITE_HEADERS } from './openapi/operation.ts'
import { recordText } from './record-text.ts'
import type { RouteContext } from './route-deps.ts'
import { metadataHeader, writeMode } from './upload-headers.ts'

type Body = {
  bucketId: string
  sourceKey: string
  destinationKey: string
  destinationBucket?: string
  copyMetadata: boolean
  metadata?: { cacheControl?: string; mimetype?: string }
}

const SHAPE: FastifySchema = {
  operation: {
    id: 'copyObject',
    summary: 'Copy an object',
    headers: { 'x-upsert': WRITE_HEADERS['x-upsert'], 'x-metadata': WRITE_HEADERS['x-metadata'] },
    credentials: 'token',
    answer: 'Copy',
  },
  body: {
    type: 'object',
    required: ['sourceKey', 'bucketId', 'destinationKey'],
    properties: {
      bucketId: { type: 'string' },
      sourceKey: { type: 'string' },
      destinationBucket: { type: 'string' },
      destinationKey: { type: 'string' },
      metadata: {
        type: 'object',
        properties: {
          cacheControl: { type: 'string' },
          mimetype: { type: 'string' },
        },
      },
      copyMetadata: { type: 'boolean', default: true },
    },
  },
}

/** POST /object/copy */
export function copyObject(app: FastifyInstance, context: RouteContext): void {
  app.post<{ Body: Body }>('/copy', { schema: SHAPE }, async (request, reply) => {
    const call = await callerOf(context, request, 'storage.object.copy')
    const { bucketId: from, sourceKey, destinationKey, destinationBucket, copyMetadata, metadata } = request.body
    const bucket = bucketId(from)
    const command = {
      bucket,
      key: namedKey(sourceKey),
      toBucket: destinationBucket ? askedBucketId(namedKey(destinationBucket)) : bucket,
      toKey: newObjectKey(destinationKey),
      mode: writeMode(request.headers),
      metadata: copyMetadata
        ? ('all' as const)
        : {
            cacheControl: metadata?.cacheControl || null,
            mediaType: metadata?.mimetype || null,
            userMetadata: metadataHeader(request.headers, context.storage.limits.maxUserMetadataBytes),
          },
    }
    const record = await copy(context.storage, call, command, requestSignal(reply.raw))
    const named = JSON.stringify({ Id: record.id, Key: `${record.bucket_id}/${record.name}` })
    return reply.type('application/json; charset=utf-8').send(`${named.slice(0, -1)},${recordText(record)}}`)
  })
}
