import type { IncomingMessage } from 'node:http'
import { type Bytes, bytes } from '../../std/brand.ts'
import { UNKNOWN_TYPE } from '../../storage/media-type.ts'
import type { Arrival } from '../../storage/object/upload-object.ts'
import { contentLength, contentMd5, metadataHeader } from './upload-headers.ts'

/** A file that is the whole body of a request, described by its headers. */
export function rawBody(raw: IncomingMessage, maxUserMetadataBytes: Bytes): Arrival {
  const { headers } = raw
  const length = contentLength(headers)
  // neither a length nor chunks: no body at all (RFC 9112 6.3)
  const size = length ?? (headers['transfer-encoding'] === undefined ? 0 : null)
  return {
    mediaType: headers['content-type'] ?? UNKNOWN_TYPE,
    cacheControl: headers['cache-control'] || 'no-cache',
    userMetadata: metadataHeader(headers, maxUserMetadataBytes),
    size: size === null ? null : bytes(size),
    announcedLength: length,
    md5: contentMd5(headers),
    body: raw,
    behind: async () => null,
  }
}
