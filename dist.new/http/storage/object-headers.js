import { contentDisposition } from '../../storage/content-disposition.js';
import { httpDate } from '../../storage/http-date.js';
import { isActive, isHeaderText, servedType, UNKNOWN_TYPE } from '../../storage/media-type.js';
import { cacheControl } from './cache-control.js';
/** Nothing in it runs, loads or is framed, whatever a browser takes it for (CSP Level 3). Styles stay, since images bring them along. */
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
/** Headers of every answer that serves an object: 200, 206 and 304, GET and HEAD. */
export function objectHeaders(object, audience, request, caching) {
    const type = sendable(object.mediaType) ?? UNKNOWN_TYPE;
    const disposition = contentDisposition(request.download);
    return {
        'accept-ranges': 'bytes',
        'content-type': servedType(type),
        ...(object.etag !== null && isHeaderText(object.etag) ? { etag: object.etag } : {}),
        'last-modified': httpDate(object.lastModified),
        'x-robots-tag': sendable(object.robotsTag) ?? 'none',
        ...freshness(object, audience, request, caching),
        ...(disposition === null ? {} : { 'content-disposition': disposition }),
        ...(isActive(type) ? { 'content-security-policy': SANDBOX } : {}),
        'cross-origin-resource-policy': audience.kind === 'caller' ? 'same-origin' : 'cross-origin',
        ...(audience.kind === 'caller' ? { vary: 'Authorization' } : {}),
    };
}
/** A signed address says when it ends, and nothing of what is stored. */
function freshness({ cacheControl: stored, etag }, audience, { headers, method }, caching) {
    if (audience.kind === 'holder of the address')
        return { expires: httpDate(audience.until) };
    return { 'cache-control': cacheControl(sendable(stored) ?? 'no-cache', etag ?? '', headers, method, caching) };
}
/** Rows can be changed by SQL: what cannot be sent counts as not there. */
const sendable = (text) => (text && isHeaderText(text) ? text : null);
