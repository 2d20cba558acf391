import { createBucket as create } from '../../storage/bucket/create-bucket.js';
import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
import { FILE_SIZE_LIMIT, MEDIA_TYPES } from './shapes.js';
const SHAPE = {
    body: {
        type: 'object',
        required: ['name'],
        properties: {
            name: { type: 'string' },
            id: { type: 'string' },
            public: { type: 'boolean' },
            type: { type: 'string', enum: ['STANDARD'] },
            file_size_limit: FILE_SIZE_LIMIT,
            allowed_mime_types: MEDIA_TYPES,
        },
    },
};
/** POST /bucket */
export function createBucket(app, context) {
    app.post('/', { schema: SHAPE }, async (request, reply) => {
        const call = await callerOf(context, request, 'storage.bucket.create');
        const { name, id = '', public: isPublic = false, file_size_limit: limit = null, allowed_mime_types: types = null } = request.body;
        const command = { name, id, public: isPublic, fileSizeLimit: limit, allowedMediaTypes: types };
        await create(context.storage, call, command, requestSignal(reply));
        return { name };
    });
}
