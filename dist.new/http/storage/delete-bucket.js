import { deleteBucket as remove } from '../../storage/bucket/delete-bucket.js';
import { askedBucketId } from '../../storage/key.js';
import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
/** DELETE /bucket/{bucketId}; a body says nothing and may be empty */
export function deleteBucket(app, context) {
    app.delete('/:bucketId', async (request, reply) => {
        const call = await callerOf(context, request, 'storage.bucket.delete');
        await remove(context.storage, call, askedBucketId(request.params.bucketId), requestSignal(reply));
        return { message: 'Successfully deleted' };
    });
}
