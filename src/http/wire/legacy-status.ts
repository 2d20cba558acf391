/**
 * The HTTP status of a storage error as the peer sends it: 400 for nearly everything, with the true one in the body. Clients depend
 * on it (Kotlin's tell errors apart only under 400). The exceptions are those it answers truthfully.
 */
export function legacyStatus(status: number, code: string): number {
  return status < 500 || FOLDED.has(status) ? (TRUTHFUL.has(code) ? status : 400) : status
}

/** A database that is away, or a client that should come again, must be told apart by status: proxies and retries look at nothing else. */
const FOLDED = new Set([501])

const TRUTHFUL = new Set(['InvalidRole', 'InvalidRange', 'BodyTooLarge', 'PreconditionFailed', 'NotFound', 'Aborted', 'TooManyRequests'])
