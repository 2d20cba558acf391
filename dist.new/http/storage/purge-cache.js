import { isService } from '../../storage/ask.js';
import { invalidRole, missingParameter } from '../../storage/errors.js';
import { callerOf } from './caller.js';
/** DELETE /cdn, /cdn/{bucketName} and /cdn/{bucketName}/{key}: there is no cache in front to tell, which the peer says in these words. */
export function purgeCache(app, context) {
    const refuse = async (request) => {
        const call = await callerOf(context, request, 'storage.object.delete');
        if (!isService(call))
            throw invalidRole();
        throw missingParameter('CDN_PURGE_ENDPOINT_URL is not set');
    };
    for (const url of ['', '/:bucketName', '/:bucketName/*'])
        app.delete(url, refuse);
}
