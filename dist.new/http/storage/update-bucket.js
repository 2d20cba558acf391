import { updateBucket as update } from '../../storage/bucket/update-bucket.js';
import { askedBucketId } from '../../storage/key.js';
import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
import { FILE_SIZE_LIMIT, MEDIA_TYPES } from './shapes.js';
const SHAPE = {
    body: {
        type: 'object',
        properties: {
            public: { type: 'boolean' },
            file_size_limit: FILE_SIZE_LIMIT,
            allowed_mime_types: MEDIA_TYPES,
        },
        anyOf: [{ required: ['public'] }, { required: ['file_size_limit'] }, { required: ['allowed_mime_types'] }],
    },
};
/** PUT /bucket/{bucketId} */
export function updateBucket(app, context) {
    app.put('/:bucketId', { schema: SHAPE }, async (request, reply) => {
        const call = await callerOf(context, request, 'storage.bucket.update');
        const { public: isPublic, file_size_limit: fileSizeLimit, allowed_mime_types: allowedMediaTypes } = request.body;
        const changes = { public: isPublic, fileSizeLimit, allowedMediaTypes };
        await update(context.storage, call, askedBucketId(request.params.bucketId), changes, requestSignal(reply));
        return { message: 'Successfully updated' };
    });
}
