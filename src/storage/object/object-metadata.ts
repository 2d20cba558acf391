import type { StoredBytes } from '../../bytes/byte-store.ts'

/** The column `metadata` of a stored object, as the peer fills it and as policies and clients read it. */
export type ObjectMetadata = {
  readonly mediaType: string
  readonly cacheControl: string
  readonly robotsTag: string | null
}

/** From the content: the same bytes have the same, other bytes another one. */
export const etagOf = (stored: StoredBytes): string => `"${stored.md5}"`

/** JSON text. */
export const objectMetadata = ({ mediaType, cacheControl, robotsTag }: ObjectMetadata, stored: StoredBytes, now: Date): string =>
  JSON.stringify({
    eTag: etagOf(stored),
    size: stored.size,
    mimetype: mediaType,
    cacheControl,
    lastModified: now.toISOString(),
    contentLength: stored.size,
    httpStatusCode: 200,
    ...(robotsTag === null ? {} : { xRobotsTag: robotsTag }),
  })
