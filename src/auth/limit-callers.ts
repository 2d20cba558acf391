import { createRateLimiter } from '../std/rate-limiter.ts'
import { ServiceError } from '../std/service-error.ts'
import { type Authenticate, SERVICE_ROLE } from './authenticate.ts'

const BURST_SECONDS = 5
const MOST_CALLERS = 100_000

/**
 * The same, for each signed-in user so often a second on average. Who comes without a subject is nobody to count, and the service
 * key is a program of the operator's.
 * @param perSecond 0: no limit
 */
export function limitCallers(authenticate: Authenticate, perSecond: number, nowMs: () => number): Authenticate {
  if (perSecond === 0) return authenticate
  const limiter = createRateLimiter({ perSecond, burstSeconds: BURST_SECONDS, most: MOST_CALLERS })
  const limited = async (token: string) => {
    const as = await authenticate(token)
    if (as.subject !== null && as.role !== SERVICE_ROLE && limiter.take(as.subject, nowMs()) > 0)
      throw new ServiceError('TooManyRequests', 429, `One user may send ${perSecond} requests a second (STOWAGE_CALLER_RATE)`)
    return as
  }
  // nobody comes past the limit
  return Object.assign(limited, { remembered: () => null })
}
