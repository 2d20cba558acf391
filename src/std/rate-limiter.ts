/** Lets each of many go on so often a second on average. */
export type RateLimiter = {
  /** 0: go on; otherwise the milliseconds after which it may be tried again */
  readonly take: (who: string, nowMs: number) => number
}

/**
 * The generic cell rate algorithm: for each the time at which the next would be due if all came evenly; who is ahead of it by more than the burst
 * waits. One number for each, and for so many at once: those who have not come for longest are forgotten, with nothing on their account.
 */
export function createRateLimiter(options: {
  readonly perSecond: number
  readonly burstSeconds: number
  readonly most: number
}): RateLimiter {
  const intervalMs = 1000 / options.perSecond
  const burstMs = options.burstSeconds * 1000
  const due = new Map<string, number>()
  return {
    take: (who, nowMs) => {
      const next = Math.max(due.get(who) ?? 0, nowMs)
      const aheadMs = next + intervalMs - nowMs
      // taken out and put in again, it stands behind all others
      due.delete(who)
      const isAllowed = aheadMs <= Math.max(burstMs, intervalMs)
      due.set(who, isAllowed ? next + intervalMs : next)
      if (due.size > options.most) {
        const [oldest] = due.keys()
        if (oldest !== undefined) due.delete(oldest)
      }
      return isAllowed ? 0 : Math.ceil(aheadMs - burstMs)
    },
  }
}
