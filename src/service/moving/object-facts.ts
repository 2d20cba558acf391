import type { StoredBytes } from '../../bytes/byte-store.ts'
import type { ForeignObject } from '../../storage/rows/moving.sql.ts'
import type { PeerFile } from './peer-files.ts'

export type ObjectFacts = {
  readonly size: number | null
  /** with its quotes, as the row has it */
  readonly etag: string | null
  readonly mediaType: string | null
  readonly cacheControl: string | null
}

/** What the column `metadata` says; it may be anybody's text. */
export function mediaOf(metadata: string | null): ObjectFacts {
  const facts = objectOf(metadata)
  const text = (name: string) => (typeof facts[name] === 'string' ? (facts[name] as string) : null)
  const size = typeof facts.size === 'string' || typeof facts.size === 'number' ? Number(facts.size) : Number.NaN
  return {
    size: Number.isSafeInteger(size) && size >= 0 ? size : null,
    etag: text('eTag'),
    mediaType: text('mimetype'),
    cacheControl: text('cacheControl'),
  }
}

/** What the bytes and their file say, for a row that does not. JSON text. */
export function metadataOf(object: Pick<ForeignObject, 'updatedAt'>, stored: StoredBytes, file: PeerFile): string {
  return JSON.stringify({
    eTag: `"${stored.md5}"`,
    size: stored.size,
    mimetype: file.mediaType ?? 'application/octet-stream',
    cacheControl: file.cacheControl ?? 'no-cache',
    lastModified: object.updatedAt === null ? undefined : new Date(object.updatedAt).toISOString(),
    contentLength: stored.size,
    httpStatusCode: 200,
  })
}

function objectOf(json: string | null): Record<string, unknown> {
  const value: unknown = json === null ? null : JSON.parse(json)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/**
 * Why the bytes that came are not those that the row is about; null: nothing speaks against it. A tag that is an MD5 proves it. That of an
 * upload in parts is not computed again: it must be the one that the bucket still has.
 */
export function whyNotTheSame(
  stored: StoredBytes,
  row: Pick<ObjectFacts, 'size' | 'etag'>,
  file: Pick<PeerFile, 'etag' | 'size'>,
): string | null {
  if (row.size !== null && stored.size !== row.size) return `${stored.size} bytes came, and its row says ${row.size}`
  if (file.size !== null && stored.size !== file.size) return `${stored.size} bytes came of ${file.size}`
  const [rowTag, fileTag] = [bare(row.etag), bare(file.etag)]
  if (rowTag !== null && MD5.test(rowTag) && rowTag !== stored.md5) return `its MD5 is ${stored.md5}, and its row says ${rowTag}`
  if (rowTag !== null && IN_PARTS.test(rowTag) && fileTag !== null && IN_PARTS.test(fileTag) && rowTag !== fileTag)
    return `its tag is ${fileTag}, and its row says ${rowTag}`
  return null
}

const MD5 = /^[0-9a-f]{32}$/
const IN_PARTS = /^[0-9a-f]{32}-\d+$/

const bare = (etag: string | null): string | null => etag?.replace(/^W\//, '').replaceAll('"', '').toLowerCase() ?? null
