import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Observe } from '../observe/observation.ts'
import { type RequestOutcome, type RequestScope, type RequestWatch, serverTiming } from '../observe/watch.ts'

declare module 'fastify' {
  interface FastifyRequest {
    watched: RequestScope | null
  }
}

/** Opens a scope for each request, so that its stages are known as its own; with `header`, they are told in Server-Timing. */
export function watchRequests(app: FastifyInstance, watch: RequestWatch, { header }: { readonly header: boolean }): void {
  app.decorateRequest('watched', null)
  app.addHook('onRequest', (request, reply, done) => {
    const scope = watch.open(request.method, request.headers)
    request.watched = scope
    reply.raw.once('close', () => scope.trace?.end(outcomeOf(request, reply)))
    watch.run(scope, done)
  })
  // what reads the body goes on in the socket's name, not in the request's
  app.addHook('preValidation', (request, _reply, done) => inScope(watch, request, done))
  if (!header) return
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.watched) reply.header('server-timing', serverTiming(request.watched, reply.elapsedTime))
    done()
  })
}

const inScope = (watch: RequestWatch, { watched }: FastifyRequest, done: () => void): void =>
  watched === null ? done() : watch.run(watched, done)

const outcomeOf = (request: FastifyRequest, reply: FastifyReply): RequestOutcome => ({
  id: request.id,
  route: request.is404 ? null : (request.routeOptions.url ?? null),
  status: reply.statusCode,
  role: request.callerRole,
  aborted: !reply.raw.writableFinished,
})

/** Tells what went over each connection since its last request ended. */
export function countTraffic(app: FastifyInstance, observe: Observe): void {
  const counted = new WeakMap<Socket, { received: number; sent: number }>()
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    reply.raw.once('close', () => {
      const { received, sent } = counted.get(socket) ?? { received: 0, sent: 0 }
      const now = { received: socket.bytesRead, sent: socket.bytesWritten }
      counted.set(socket, now)
      observe({ kind: 'traffic', received: now.received - received, sent: now.sent - sent })
    })
    done()
  })
}
