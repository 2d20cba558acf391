import { bucketId } from '../../storage/key.js';
import { deleteObjects as remove } from '../../storage/object/delete-objects.js';
import { callerOf } from './caller.js';
import { recordText } from './record-text.js';
import { requestSignal } from './request-signal.js';
const SHAPE = {
    body: {
        type: 'object',
        required: ['prefixes'],
        properties: {
            // whole keys, whatever they are called
            prefixes: { type: 'array', items: { type: 'string' }, minItems: 1 },
        },
    },
};
/** DELETE /object/{bucketName} */
export function deleteObjects(app, context) {
    app.delete('/:bucketName', { schema: SHAPE }, async (request, reply) => {
        const call = await callerOf(context, request, 'storage.object.delete_many');
        const bucket = bucketId(request.params.bucketName);
        const records = await remove(context.storage, call, bucket, request.body.prefixes, requestSignal(reply));
        return reply.type('application/json; charset=utf-8').send(`[${records.map((record) => `{${recordText(record)}}`).join(',')}]`);
    });
}
