import { askedBucketId, bucketId, namedKey, newObjectKey } from '../../storage/key.js';
import { moveObject as move } from '../../storage/object/move-object.js';
import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
const SHAPE = {
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
};
/** POST /object/move */
export function moveObject(app, context) {
    app.post('/move', { schema: SHAPE }, async (request, reply) => {
        const call = await callerOf(context, request, 'storage.object.move');
        const { bucketId: from, sourceKey, destinationKey, destinationBucket } = request.body;
        const bucket = bucketId(from);
        const command = {
            bucket,
            key: namedKey(sourceKey),
            toBucket: destinationBucket ? askedBucketId(namedKey(destinationBucket)) : bucket,
            toKey: newObjectKey(destinationKey),
        };
        await move(context.storage, call, command, requestSignal(reply));
        return { message: 'Successfully moved' };
    });
}
