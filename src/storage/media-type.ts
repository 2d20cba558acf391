/** Printable ASCII: what may be sent back as the value of a header without a second thought (RFC 9110 5.5). */
export const isHeaderText = (text: string): boolean => /^[\x20-\x7e\t]*$/.test(text)

/** What a file is when nobody says (RFC 9110 8.3). */
export const UNKNOWN_TYPE = 'application/octet-stream'

/** HTML becomes plain text, as the peer does in lower case only. */
export const servedType = (type: string): string => (/text\/html/i.test(type) ? 'text/plain' : type)

const INERT =
  /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|font\/[\w.+-]+|text\/(?:plain|csv|markdown)|application\/(?:json|octet-stream|zip|gzip))$/

/**
 * Whether a browser might run what is in it: anything that is not known to be inert. Of several types divided by commas a browser takes the last
 * that it understands (Fetch standard, "extract a MIME type"), so a comma is never inert. HTML, SVG, XML and its kin, PDF, JavaScript, CSS,
 * `multipart/*` and types nobody has heard of are all on this side.
 */
export function isActive(type: string): boolean {
  const essence = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type.includes(',') || !INERT.test(essence) || essence.endsWith('+xml') || essence.endsWith('/xml')
}
