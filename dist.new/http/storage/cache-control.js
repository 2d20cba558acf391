/** Seconds that a cache may go on giving what it has while it asks for what is new. */
const STALE_WHILE_REVALIDATE = 'stale-while-revalidate=30';
/**
 * What is stored, and for a cache that says what it has: how long it may keep ours, and that its own has had its day.
 * HEAD is asked by caches that decide what to do with what they have, hence its own word.
 */
export function cacheControl(stored, etag, headers, method, { sharedMaxAge, etagHeaders }) {
    const had = etagHeaders.map((name) => headers[name]).find((value) => value);
    if (!had)
        return stored;
    const parts = [stored];
    const stale = had !== etag;
    if (method === 'HEAD') {
        if (stale)
            return `${stored}, must-revalidate`;
        if (sharedMaxAge > 0)
            parts.push(`s-maxage=${sharedMaxAge}`);
        return parts.join(', ');
    }
    if (sharedMaxAge > 0)
        parts.push(`s-maxage=${sharedMaxAge}`);
    if (stale)
        parts.push(STALE_WHILE_REVALIDATE);
    return parts.join(', ');
}
