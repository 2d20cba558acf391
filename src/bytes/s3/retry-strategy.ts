import type { S3ClientConfig } from '@aws-sdk/client-s3'

type Strategy = Extract<S3ClientConfig['retryStrategy'], { readonly acquireInitialRetryToken: unknown }>

const MAX_TRIES = 3
const THROTTLED_MS = 250
const FAILED_MS = 50
/** Asked to wait longer than that, a request is turned away with what the store asked for: its client should wait, and not we. */
const LONGEST_WAIT_MS = 1_000

/**
 * When a call is made once more: what every body allows, since none is sent before it is in memory. The SDK's own strategies wait
 * for as long as the store says, and with them whoever asked.
 */
export function createRetryStrategy(): Strategy {
  const token = (retries: number, delayMs: number) => ({ getRetryCount: () => retries, getRetryDelay: () => delayMs })
  return {
    acquireInitialRetryToken: async () => token(0, 0),
    refreshRetryTokenForRetry: async (last, { errorType, retryAfterHint }) => {
      const retries = last.getRetryCount() + 1
      const asked = retryAfterHint ? retryAfterHint.getTime() - Date.now() : 0
      if (retries >= MAX_TRIES || (errorType !== 'THROTTLING' && errorType !== 'TRANSIENT') || asked > LONGEST_WAIT_MS)
        throw new Error('not once more')
      const most = (errorType === 'THROTTLING' ? THROTTLED_MS : FAILED_MS) * 2 ** (retries - 1)
      return token(retries, Math.max(asked, most * (0.5 + Math.random() / 2)))
    },
    recordSuccess: () => undefined,
  }
}
