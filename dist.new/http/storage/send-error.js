import { ServiceError } from '../../std/service-error.js';
import { contentTypeMalformed, invalidShape, RangeNotSatisfiable } from '../../storage/errors.js';
import { dressError, internalError } from '../wire/storage-error.js';
import { lingeringBody } from './lingering-body.js';
const RETRY_AFTER_SECONDS = '1';
/** The answer to whatever a storage route threw. */
export function sendError(context, thrown, request, reply) {
    const error = namedError(thrown) ?? reportBug(thrown, request);
    const { status, body } = dressError(error, context.statusStyle);
    reply.code(status).header('content-type', 'application/json; charset=utf-8');
    if (error instanceof RangeNotSatisfiable)
        reply.header('content-range', `bytes */${error.size}`);
    if (error.status === 503)
        reply.header('retry-after', RETRY_AFTER_SECONDS);
    const content = Buffer.from(JSON.stringify(body));
    if (request.raw.complete || request.raw.destroyed)
        return reply.send(content);
    // the rest of the body will not be read
    return reply.header('connection', 'close').header('content-length', String(content.length)).send(lingeringBody(request.raw, content));
}
/** The answer on a path that no route of its family has; the peer's Content-Type has no charset here. */
export function sendNotFound(context, request, reply) {
    const path = request.url.slice(context.mount.length);
    const { body } = dressError(new ServiceError('NotFound', 404, `Route ${request.method}:${path} not found`), 'real');
    return reply
        .code(404)
        .header('content-type', 'application/json')
        .send(Buffer.from(JSON.stringify(body)));
}
/** null: nobody foresaw it */
function namedError(thrown) {
    if (thrown instanceof ServiceError)
        return thrown;
    const { code, validation, message, statusCode } = thrown;
    if (validation)
        return invalidShape(message ?? '');
    if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
        return contentTypeMalformed();
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
        return new ServiceError('BodyTooLarge', 413, message ?? '');
    if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
        return new ServiceError('InvalidBody', 400, message ?? '');
    return null;
}
function reportBug(thrown, request) {
    request.log.error({ err: thrown, requestId: request.id }, 'a storage request failed');
    return internalError();
}
