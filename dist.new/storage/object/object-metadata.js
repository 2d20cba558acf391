/** From the content: the same bytes have the same, other bytes another one. */
export const etagOf = (stored) => `"${stored.md5}"`;
/** JSON text. */
export const objectMetadata = ({ mediaType, cacheControl, robotsTag }, stored, now) => JSON.stringify({
    eTag: etagOf(stored),
    size: stored.size,
    mimetype: mediaType,
    cacheControl,
    lastModified: now.toISOString(),
    contentLength: stored.size,
    httpStatusCode: 200,
    ...(robotsTag === null ? {} : { xRobotsTag: robotsTag }),
});
