import { httpDate } from '../../storage/http-date.js';
import { isHeaderText } from '../../storage/media-type.js';
import { findForReader, findPublic } from '../../storage/object/find-object.js';
import { anonymousCall, anyReaderOf, readerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
import { FOCUS_POINT, TRANSFORM } from './shapes.js';
const OPTIONS = { exposeHeadRoute: true, schema: { querystring: { type: 'object', properties: TRANSFORM, ...FOCUS_POINT } } };
/** GET and HEAD /object/info/authenticated/…, /object/info/public/… and /object/info/{bucketName}/{key}: what the row says of an object */
export function objectInfo(app, context) {
    const toReader = (whoReads) => async (request, reply) => {
        const reader = await whoReads(context, request, 'object.get_authenticated_info');
        return describe(reply, asked(request), await findForReader(context.storage, reader, asked(request), requestSignal(reply)));
    };
    app.get('/info/authenticated/:bucketName/*', OPTIONS, toReader(readerOf));
    app.get('/info/:bucketName/*', OPTIONS, toReader(anyReaderOf));
    app.get('/info/public/:bucketName/*', OPTIONS, async (request, reply) => {
        const call = anonymousCall(context, request, 'storage.object.info_public');
        return describe(reply, asked(request), await findPublic(context.storage, call, asked(request), requestSignal(reply)));
    });
}
const asked = ({ params }) => ({ bucket: params.bucketName, key: params['*'], detail: 'to describe' });
function describe(reply, { bucket, key }, object) {
    const known = JSON.stringify({
        id: object.id,
        name: key,
        version: object.version,
        bucket_id: bucket,
        size: object.size,
        content_type: object.mediaType,
        cache_control: object.cacheControl,
        etag: object.etag,
    });
    const times = JSON.stringify({ last_modified: object.updatedAt, created_at: object.createdAt });
    const { cacheControl, etag } = object;
    reply.headers({
        'content-type': 'application/json; charset=utf-8',
        etag: etag !== null && isHeaderText(etag) ? etag : '',
        'last-modified': httpDate(object.lastModified),
        ...(cacheControl !== null && isHeaderText(cacheControl) ? { 'cache-control': cacheControl } : {}),
    });
    return reply.send(`${known.slice(0, -1)},"metadata":${object.userMetadata ?? 'null'},${times.slice(1)}`);
}
