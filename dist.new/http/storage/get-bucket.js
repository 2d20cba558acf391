import { getBucket as get } from '../../storage/bucket/get-bucket.js';
import { askedBucketId } from '../../storage/key.js';
import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
/** GET and HEAD /bucket/{bucketId} */
export function getBucket(app, context) {
    app.get('/:bucketId', { exposeHeadRoute: true }, async (request, reply) => {
        const call = await callerOf(context, request, 'storage.bucket.get');
        return get(context.storage, call, askedBucketId(request.params.bucketId), requestSignal(reply));
    });
}
