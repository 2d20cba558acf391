import { bytes } from '../../std/brand.js';
import { UNKNOWN_TYPE } from '../../storage/media-type.js';
import { contentLength, contentMd5, metadataHeader } from './upload-headers.js';
/** A file that is the whole body of a request, described by its headers. */
export function rawBody(raw, maxUserMetadataBytes) {
    const { headers } = raw;
    const length = contentLength(headers);
    // neither a length nor chunks: no body at all (RFC 9112 6.3)
    const size = length ?? (headers['transfer-encoding'] === undefined ? 0 : null);
    return {
        mediaType: headers['content-type'] ?? UNKNOWN_TYPE,
        cacheControl: headers['cache-control'] || 'no-cache',
        userMetadata: metadataHeader(headers, maxUserMetadataBytes),
        size: size === null ? null : bytes(size),
        announcedLength: length,
        md5: contentMd5(headers),
        body: raw,
        behind: async () => null,
    };
}
