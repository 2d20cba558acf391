import { emptyBucket as empty } from '../../storage/bucket/empty-bucket.js';
import { askedBucketId } from '../../storage/key.js';
import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
/** POST /bucket/{bucketId}/empty; a body says nothing and may be empty */
export function emptyBucket(app, context) {
    app.post('/:bucketId/empty', async (request, reply) => {
        const call = await callerOf(context, request, 'storage.bucket.empty');
        await empty(context.storage, call, askedBucketId(request.params.bucketId), requestSignal(reply));
        return { message: 'Empty bucket has been queued. Completion may take up to an hour.' };
    });
}
