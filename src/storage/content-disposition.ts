import { toWellFormed } from './well-formed.ts'

/**
 * The header for `?download`: null where it was not asked for. Percent-encoded in both forms (RFC 8187 3.2.1), so nothing of
 * the name can end the value or the header; the plain form for clients that know no other.
 */
export function contentDisposition(download: string | undefined): string | null {
  if (download === undefined) return null
  if (download === '') return 'attachment;'
  // the four that encodeURIComponent leaves and one of the two forms does not take
  const name = encodeURIComponent(toWellFormed(download)).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename=${name}; filename*=UTF-8''${name}`
}
