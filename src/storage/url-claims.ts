/** What a signed address allows, and for which object: `url` is bucket and key, decoded. */
export type UrlClaims =
  | { readonly scope: 'download'; readonly url: string }
  | { readonly scope: 'upload'; readonly url: string; readonly upsert: boolean; readonly owner: string | null }

export type VerifiedUrl = UrlClaims & { readonly expiresAt: Date }

/**
 * The key of the object that a signed address is for, if `asked` (bucket and key of a request) is that address. An address may have been escaped
 * twice, by whoever asked for it and by the client that completed it; since no key holds a percent sign, that cannot mean another object.
 */
export function keyOfAddress({ url }: UrlClaims, asked: { readonly bucket: string; readonly key: string }): string | null {
  const prefix = `${asked.bucket}/`
  if (!url.startsWith(prefix)) return null
  const key = url.slice(prefix.length)
  return key === asked.key || key === unescapedOnce(asked.key) ? key : null
}

function unescapedOnce(text: string): string | null {
  try {
    return text.includes('%') ? decodeURIComponent(text) : null
  } catch {
    return null
  }
}
