import { StoreUnavailable } from '../byte-store.ts'

/** The store answered, and what it said will not change by asking again: wrong credentials, no such bucket, no permission. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused'
}

type S3Failure = {
  readonly name?: string
  readonly code?: string
  readonly message?: string
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

const asFailure = (error: unknown): S3Failure => (typeof error === 'object' && error !== null ? error : {})

const NETWORK =
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|EPROTO|ERR_(?:TLS|SSL)\w*|CERT_\w+|HPE_\w+)$/
const BUSY = new Set(['SlowDown', 'Throttling', 'ThrottlingException', 'TooManyRequests', 'RequestLimitExceeded', 'BandwidthLimitExceeded'])
/** Part of a transfer went missing on the way: the same call may well succeed. */
const DAMAGED_ON_THE_WAY = new Set([
  'BadDigest',
  'XAmzContentSHA256Mismatch',
  'XAmzContentChecksumMismatch',
  'IncompleteBody',
  'RequestTimeout',
])

/** A failed call in the words of the port. Errors of our own pass as they are. */
export function fromS3(error: unknown): Error {
  if (error instanceof StoreUnavailable || error instanceof StoreRefused) return error
  const { name = '', code = '', message = '' } = asFailure(error)
  const status = statusOf(error)
  const retryAfterSeconds = retryAfter(error)
  if (status === 429 || status === 503 || BUSY.has(name))
    return new StoreUnavailable(`the byte store asks to slow down: ${wordsOf(name, message)}`, { cause: error, retryAfterSeconds })
  if (status >= 500 || DAMAGED_ON_THE_WAY.has(name))
    return new StoreUnavailable(`the byte store failed: ${wordsOf(name, message)}`, { cause: error, retryAfterSeconds })
  if (name === 'TimeoutError' || NETWORK.test(code))
    return new StoreUnavailable(`the byte store does not answer: ${wordsOf(code || name, message)}`, { cause: error })
  // an answer that is no S3: a proxy's page, or a body cut off
  if (status === 0 || status < 300)
    return name === 'CredentialsProviderError'
      ? new StoreRefused(`there are no credentials for the byte store: ${message}`, { cause: error })
      : new StoreUnavailable(`the byte store gave an answer that makes no sense: ${wordsOf(name, message)}`, { cause: error })
  return new StoreRefused(`the byte store refused: ${wordsOf(name, message)} (${status})`, { cause: error })
}

/** 0: there was no answer */
export const statusOf = (error: unknown): number => asFailure(error).$metadata?.httpStatusCode ?? 0

export const nameOf = (error: unknown): string => asFailure(error).name ?? ''

/** Whether an earlier try may have done what the last one was refused. */
export const wasTriedAgain = (error: unknown): boolean => (asFailure(error).$metadata?.attempts ?? 1) > 1

export const isMissingKey = (error: unknown): boolean => statusOf(error) === 404 && ['NoSuchKey', 'NotFound'].includes(nameOf(error))

/** A conditional write that found something, or somebody writing the same (RFC 9110 13.1.2; S3: conditional requests). */
export const isTaken = (error: unknown): boolean =>
  statusOf(error) === 412 || (statusOf(error) === 409 && nameOf(error) === 'ConditionalRequestConflict')

/** A whole number of seconds; the form with a date is not worth a clock here. */
function retryAfter(error: unknown): number | null {
  const text = asFailure(error).$response?.headers?.['retry-after'] ?? ''
  return /^\d{1,5}$/.test(text) ? Number(text) : null
}

const wordsOf = (name: string, message: string): string =>
  [name, message].filter((word, i, all) => word !== '' && all.indexOf(word) === i).join(': ') || 'no reason given'
