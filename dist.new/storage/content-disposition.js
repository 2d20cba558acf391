import { toWellFormed } from './well-formed.js';
/**
 * The header for `?download`: null where it was not asked for. Percent-encoded in both forms (RFC 8187 3.2.1), so nothing of
 * the name can end the value or the header; the plain form for clients that know no other.
 */
export function contentDisposition(download) {
    if (download === undefined)
        return null;
    if (download === '')
        return 'attachment;';
    const name = encodeURIComponent(toWellFormed(download));
    return `attachment; filename=${name}; filename*=UTF-8''${name}`;
}
