import { findForReader, findPublic } from '../../storage/object/find-object.js';
import { anonymousCall, anyReaderOf, readerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
import { serveObject } from './serve-object.js';
import { DOWNLOAD, FOCUS_POINT, TRANSFORM } from './shapes.js';
const GET_SHAPE = { querystring: { type: 'object', properties: { download: DOWNLOAD } } };
const HEAD_SHAPE = { querystring: { type: 'object', properties: TRANSFORM, ...FOCUS_POINT } };
/** GET and HEAD /object/authenticated/{bucketName}/{key}: for callers with a token */
export function getAuthenticatedObject(app, context) {
    getAndHead(app, '/authenticated/:bucketName/*', (request, reply) => serveToReader(context, request, reply, readerOf));
}
/** GET and HEAD /object/{bucketName}/{key}: the same, and for anybody what is public */
export function getObject(app, context) {
    getAndHead(app, '/:bucketName/*', (request, reply) => serveToReader(context, request, reply, anyReaderOf));
}
/** GET and HEAD /object/public/{bucketName}/{key}: looks at no token */
export function getPublicObject(app, context) {
    getAndHead(app, '/public/:bucketName/*', (request, reply) => {
        const { bucketName: bucket, '*': key } = request.params;
        const call = anonymousCall(context, request, request.method === 'HEAD' ? 'storage.object.info_public' : 'storage.object.get_public');
        return serveObject(context, request, reply, { kind: 'everybody' }, bucket, () => findPublic(context.storage, call, { bucket, key, detail: 'to serve' }, requestSignal(reply)));
    });
}
async function serveToReader(context, request, reply, whoReads) {
    const { bucketName: bucket, '*': key } = request.params;
    // policies tell these two apart, as they do at the peer
    const operation = request.method === 'HEAD' ? 'object.head_authenticated_info' : 'storage.object.get_authenticated';
    const reader = await whoReads(context, request, operation);
    return serveObject(context, request, reply, { kind: 'caller' }, bucket, () => findForReader(context.storage, reader, { bucket, key, detail: 'to serve' }, requestSignal(reply)));
}
/** Two routes, since HEAD looks at the options for images and GET does not. */
function getAndHead(app, url, handler) {
    app.get(url, { schema: GET_SHAPE }, handler);
    app.head(url, { schema: HEAD_SHAPE }, handler);
}
