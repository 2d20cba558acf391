import { invalidSignature } from '../../storage/errors.js';
import { findAsService } from '../../storage/object/find-object.js';
import { anonymousCall } from './caller.js';
import { requestSignal } from './request-signal.js';
import { serveObject } from './serve-object.js';
import { DOWNLOAD } from './shapes.js';
const SHAPE = {
    querystring: {
        type: 'object',
        required: ['token'],
        properties: { download: DOWNLOAD, token: { type: 'string' } },
    },
};
/** GET and HEAD /object/sign/{bucketName}/{key}?token= */
export function getSignedObject(app, context) {
    app.get('/sign/:bucketName/*', { schema: SHAPE, exposeHeadRoute: true }, async (request, reply) => {
        const { bucketName: bucket, '*': key } = request.params;
        const grant = await context.storage.verifyUrl(request.query.token);
        if (grant.scope !== 'download')
            throw invalidSignature('Token is not scoped for download');
        if (grant.url !== `${bucket}/${key}`)
            throw invalidSignature();
        const call = anonymousCall(context, request, 'storage.object.get_signed');
        return serveObject(context, request, reply, { kind: 'holder of the address', until: grant.expiresAt }, bucket, () => findAsService(context.storage, call, { bucket, key, detail: 'to serve' }, requestSignal(reply)));
    });
}
