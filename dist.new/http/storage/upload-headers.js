import { invalidRequest } from '../../storage/errors.js';
import { userMetadata } from '../../storage/user-metadata.js';
/** `x-upsert: true`, in exactly these letters. */
export const writeMode = (headers) => (headers['x-upsert'] === 'true' ? 'replace' : 'create');
/** `x-metadata`: a JSON object in base64; what is none counts as not sent. @throws as {@link userMetadata} */
export function metadataHeader(headers, maxBytes) {
    const header = headers['x-metadata'];
    return typeof header === 'string' ? userMetadata(Buffer.from(header, 'base64').toString('utf8'), maxBytes) : null;
}
/** Content-Length; null where the body is chunked or there is none. */
export function contentLength(headers) {
    const length = Number(headers['content-length'] ?? Number.NaN);
    return Number.isSafeInteger(length) ? length : null;
}
/** Content-MD5 (RFC 1864) as lower-case hex. @throws InvalidRequest for what is no digest */
export function contentMd5(headers) {
    const header = headers['content-md5'];
    if (typeof header !== 'string' || header === '')
        return null;
    if (!/^[A-Za-z0-9+/]{22}==$/.test(header))
        throw invalidRequest('Invalid Content-MD5 header');
    return Buffer.from(header, 'base64').toString('hex');
}
