import type { FastifyInstance } from 'fastify'
import { createRateLimiter } from '../std/rate-limiter.ts'

const BURST_SECONDS = 5
const MOST_ADDRESSES = 100_000

/**
 * Turns a request away, before anything is looked up for it, when its sender's address has sent too many. What proxies say about addresses is not
 * believed: behind one, all come from its own.
 * @param perSecond 0: no limit
 */
export function limitAddresses(app: FastifyInstance, perSecond: number): void {
  if (perSecond === 0) return
  const limiter = createRateLimiter({ perSecond, burstSeconds: BURST_SECONDS, most: MOST_ADDRESSES })
  app.addHook('onRequest', async (request, reply) => {
    // supervisors ask whatever their neighbours do
    if (request.routeOptions.config.quiet) return
    const waitMs = limiter.take(networkOf(request.socket.remoteAddress ?? ''), performance.now())
    if (waitMs === 0) return
    return reply
      .code(429)
      .header('retry-after', String(Math.ceil(waitMs / 1000)))
      .header('connection', 'close')
      .send({
        statusCode: 429,
        error: 'Too Many Requests',
        message: `One address may send ${perSecond} requests a second (STOWAGE_ADDRESS_RATE)`,
      })
  })
}

/** Of an IPv6 address the part that one customer is given (RFC 6177): the rest he chooses as he likes. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address.replace(/^::ffff:/, '')
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeroes = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeroes, ...after].slice(0, 4).join(':')
}
