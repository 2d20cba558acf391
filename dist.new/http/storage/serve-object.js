import { serviceWorkerRefused } from '../../storage/errors.js';
import { readObject } from '../../storage/object/read-object.js';
import { contentRange } from '../../storage/range.js';
import { objectHeaders } from './object-headers.js';
import { requestSignal } from './request-signal.js';
/** Answers a GET or HEAD with the object that `find` finds: whole, in part, or not at all because the client has it. */
export async function serveObject(context, request, reply, audience, bucket, find) {
    const { headers, method } = request;
    // no script of anybody's governs the pages of our origin
    if (headers['service-worker'] !== undefined)
        throw serviceWorkerRefused();
    const isHead = method === 'HEAD';
    const answer = await readObject(context.storage, find, readRequest(request), bucket, requestSignal(reply));
    const { object } = answer;
    const download = isHead ? undefined : downloadOf(request.query);
    reply.headers(objectHeaders(object, audience, { headers, method, download }, context.caching));
    switch (answer.kind) {
        case 'not modified':
            // the peer's length of a body that is not there
            return reply.code(304).header('content-length', '0').send();
        case 'whole':
            return reply.header('content-length', String(object.size)).send(answer.body ?? undefined);
        case 'part': {
            const { first, last } = answer.range;
            reply.code(206).header('content-range', contentRange(answer.range, object.size));
            return reply.header('content-length', String(last - first + 1)).send(answer.body);
        }
    }
}
const readRequest = ({ headers, method }) => ({
    conditions: {
        ifMatch: headers['if-match'],
        ifNoneMatch: headers['if-none-match'],
        ifModifiedSince: headers['if-modified-since'],
        ifUnmodifiedSince: headers['if-unmodified-since'],
        ifRange: one(headers['if-range']),
    },
    range: headers.range,
    headersOnly: method === 'HEAD',
});
const one = (header) => (Array.isArray(header) ? header[0] : header);
const downloadOf = (query) => query.download;
