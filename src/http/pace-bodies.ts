import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Bytes, Milliseconds } from '../std/brand.ts'
import { refuseUnparsed } from './refuse-early.ts'

export type Pace = {
  /** how long a body may come at any pace */
  readonly slowBodyGrace: Milliseconds
  /** what it must have brought by then, and from then on, a second; 0 switches the rule off */
  readonly minBodyRate: Bytes
}

type Watched = { readonly startedAt: number; readonly bytesBefore: number }

const CHECK_MS = 1_000

/** Told of requests that are past the framework's hooks. */
export type WatchBody = (request: IncomingMessage) => void

/**
 * Ends requests whose body trickles in: a byte now and then keeps the idle timeout from noticing, and holds a connection, a reservation and
 * an open file for as long as the sender likes. Only what we are waiting for counts: a body that we do not read yet is not slow.
 */
export function paceBodies(app: FastifyInstance, { slowBodyGrace, minBodyRate }: Pace): WatchBody {
  if (minBodyRate === 0) return () => undefined
  const watched = new Map<IncomingMessage, Watched>()
  // most bodies come with their headers, and are whole when the parser has looked at all that the socket brought: to note every request
  // and take it back would keep each from the small collections of garbage
  const watch: WatchBody = (raw) => {
    setImmediate(() => {
      if (raw.complete || raw.destroyed) return
      // what came in one packet with the headers is part of what the body has brought
      watched.set(raw, { startedAt: performance.now(), bytesBefore: raw.socket.bytesRead - raw.readableLength })
    })
  }
  app.addHook('onRequest', (request, _reply, done) => {
    watch(request.raw)
    done()
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [raw, { startedAt, bytesBefore }] of watched) {
      if (raw.complete || raw.destroyed) watched.delete(raw)
      else if (now - startedAt > slowBodyGrace && raw.readableLength === 0) {
        const rate = ((raw.socket.bytesRead - bytesBefore) * 1_000) / (now - startedAt)
        if (rate < minBodyRate)
          refuseUnparsed(Object.assign(new Error('the body comes too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket)
      }
    }
  }, CHECK_MS)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
  return watch
}
