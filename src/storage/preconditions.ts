import { httpDateSeconds } from './http-date.ts'

/** What conditions are asked about: the strong ETag with its quotes (RFC 9110 8.8.3), null where the object has none. */
export type Validators = {
  readonly etag: string | null
  readonly lastModified: Date
  /** nothing of the row has changed since it was made: no other bytes can have had this date */
  readonly isUnchanged: boolean
}

/** As they came; undefined or empty: not asked. */
export type Conditions = {
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  readonly ifModifiedSince?: string | undefined
  readonly ifUnmodifiedSince?: string | undefined
  readonly ifRange?: string | undefined
}

export type Verdict = 'proceed' | 'not modified' | 'failed'

/** RFC 9110 13.2.2, for GET and HEAD: dates count only where no ETag condition stands beside them. */
export function judge(conditions: Conditions, { etag, lastModified }: Validators): Verdict {
  const modified = wholeSeconds(lastModified)
  if (conditions.ifMatch) {
    if (!listed(conditions.ifMatch, etag, 'strong')) return 'failed'
  } else if (conditions.ifUnmodifiedSince) {
    const since = httpDateSeconds(conditions.ifUnmodifiedSince)
    if (since !== null && modified > since) return 'failed'
  }
  if (conditions.ifNoneMatch) return listed(conditions.ifNoneMatch, etag, 'weak') ? 'not modified' : 'proceed'
  if (conditions.ifModifiedSince) {
    const since = httpDateSeconds(conditions.ifModifiedSince)
    if (since !== null && modified <= since) return 'not modified'
  }
  return 'proceed'
}

/**
 * Whether a Range header may be followed: RFC 9110 13.1.5. A weak ETag never; a date only if it is exactly ours and strong, since an object
 * that was replaced may have had two contents within that second (8.8.2.2).
 */
export function rangeApplies(ifRange: string | undefined, { etag, lastModified, isUnchanged }: Validators): boolean {
  if (!ifRange) return true
  const asked = ifRange.trim()
  if (asked.startsWith('"') || asked.startsWith('W/')) return asked === etag
  return isUnchanged && httpDateSeconds(asked) === wholeSeconds(lastModified)
}

export type WriteConditions = Pick<Conditions, 'ifMatch' | 'ifNoneMatch'>

/** For a write, against what is there now (null: nothing). RFC 9110 13.1.1 and 13.1.2: `*` asks whether there is anything at all. */
export function mayWrite(conditions: WriteConditions, current: { readonly etag: string | null } | null): boolean {
  if (conditions.ifMatch && !(current && listed(conditions.ifMatch, current.etag, 'strong'))) return false
  return !(conditions.ifNoneMatch && current && listed(conditions.ifNoneMatch, current.etag, 'weak'))
}

function listed(header: string, etag: string | null, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true
  if (etag === null) return false
  for (const [, weak, opaque] of header.matchAll(/(?:^|,)\s*(W\/)?("[^"]*")(?=\s*(?:,|$))/g)) {
    if (opaque === etag && !(weak && comparison === 'strong')) return true
  }
  return false
}

const wholeSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)
