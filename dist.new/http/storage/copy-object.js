import { askedBucketId, bucketId, namedKey, newObjectKey } from '../../storage/key.js';
import { copyObject as copy } from '../../storage/object/copy-object.js';
import { callerOf } from './caller.js';
import { recordText } from './record-text.js';
import { requestSignal } from './request-signal.js';
import { metadataHeader, writeMode } from './upload-headers.js';
const SHAPE = {
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
};
/** POST /object/copy */
export function copyObject(app, context) {
    app.post('/copy', { schema: SHAPE }, async (request, reply) => {
        const call = await callerOf(context, request, 'storage.object.copy');
        const { bucketId: from, sourceKey, destinationKey, destinationBucket, copyMetadata, metadata } = request.body;
        const bucket = bucketId(from);
        const command = {
            bucket,
            key: namedKey(sourceKey),
            toBucket: destinationBucket ? askedBucketId(namedKey(destinationBucket)) : bucket,
            toKey: newObjectKey(destinationKey),
            mode: writeMode(request.headers),
            metadata: copyMetadata
                ? 'all'
                : {
                    cacheControl: metadata?.cacheControl || null,
                    mediaType: metadata?.mimetype || null,
                    userMetadata: metadataHeader(request.headers, context.storage.limits.maxUserMetadataBytes),
                },
        };
        const record = await copy(context.storage, call, command, requestSignal(reply));
        const named = JSON.stringify({ Id: record.id, Key: `${record.bucket_id}/${record.name}` });
        return reply.type('application/json; charset=utf-8').send(`${named.slice(0, -1)},${recordText(record)}}`);
    });
}
