import { httpDateSeconds } from './http-date.js';
/** RFC 9110 13.2.2, for GET and HEAD: dates count only where no ETag condition stands beside them. */
export function judge(conditions, { etag, lastModified }) {
    const modified = wholeSeconds(lastModified);
    if (conditions.ifMatch) {
        if (!listed(conditions.ifMatch, etag, 'strong'))
            return 'failed';
    }
    else if (conditions.ifUnmodifiedSince) {
        const since = httpDateSeconds(conditions.ifUnmodifiedSince);
        if (since !== null && modified > since)
            return 'failed';
    }
    if (conditions.ifNoneMatch)
        return listed(conditions.ifNoneMatch, etag, 'weak') ? 'not modified' : 'proceed';
    if (conditions.ifModifiedSince) {
        const since = httpDateSeconds(conditions.ifModifiedSince);
        if (since !== null && modified <= since)
            return 'not modified';
    }
    return 'proceed';
}
/** Whether a Range header may be followed: RFC 9110 13.1.5. A weak ETag never, a date only if it is exactly ours. */
export function rangeApplies(ifRange, { etag, lastModified }) {
    if (!ifRange)
        return true;
    const asked = ifRange.trim();
    if (asked.startsWith('"') || asked.startsWith('W/'))
        return asked === etag;
    return httpDateSeconds(asked) === wholeSeconds(lastModified);
}
/** For a write, against what is there now (null: nothing). RFC 9110 13.1.1 and 13.1.2: `*` asks whether there is anything at all. */
export function mayWrite(conditions, current) {
    if (conditions.ifMatch && !(current && listed(conditions.ifMatch, current.etag, 'strong')))
        return false;
    return !(conditions.ifNoneMatch && current && listed(conditions.ifNoneMatch, current.etag, 'weak'));
}
function listed(header, etag, comparison) {
    if (header.trim() === '*')
        return true;
    if (etag === null)
        return false;
    for (const [, weak, opaque] of header.matchAll(/(?:^|,)\s*(W\/)?("[^"]*")(?=\s*(?:,|$))/g)) {
        if (opaque === etag && !(weak && comparison === 'strong'))
            return true;
    }
    return false;
}
const wholeSeconds = (date) => Math.floor(date.getTime() / 1000);
