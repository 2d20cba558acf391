import { bucketId, namedKey } from '../../storage/key.js';
import { deleteObject as remove } from '../../storage/object/delete-object.js';
import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
/** DELETE /object/{bucketName}/{key} */
export function deleteObject(app, context) {
    app.delete('/:bucketName/*', async (request, reply) => {
        const call = await callerOf(context, request, 'storage.object.delete');
        const { bucketName, '*': key } = request.params;
        await remove(context.storage, call, bucketId(bucketName), namedKey(key), requestSignal(reply));
        return { message: 'Successfully deleted' };
    });
}
