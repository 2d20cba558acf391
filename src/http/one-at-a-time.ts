import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that may wait on a connection behind the one that is being answered. */
const MOST_WAITING = 2_000
/** And on all connections together: each keeps its headers in memory. */
const MOST_WAITING_AT_ALL = 5_000
const EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const

/**
 * Answers the requests of a connection one after the other: each when the answer before it has gone out. Node hands out all that it finds in what a client
 * has sent ahead (RFC 9112 9.3.2), hundreds at a time, and keeps their answers in memory for as long as the client does not read. A connection that sends more
 * ahead than may wait is ended. To be called when the server has its listeners.
 */
export function answerOneAtATime(server: Server): void {
  const waiting = new WeakMap<Socket, number>()
  let atAll = 0
  for (const event of EVENTS) {
    const listeners = server.listeners(event) as RequestListener[]
    server.removeAllListeners(event)
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      // Node gives an answer its socket when none before it has still to go out
      if (response.socket === null) wait(request.socket, response, () => tell(listeners, request, response))
      else tell(listeners, request, response)
    })
  }

  function tell(listeners: readonly RequestListener[], request: IncomingMessage, response: ServerResponse): void {
    for (const listener of listeners) listener.call(server, request, response as Parameters<RequestListener>[1])
  }

  function wait(socket: Socket, response: ServerResponse, answer: () => void): void {
    if (socket.destroyed) return
    if (!waiting.has(socket)) socket.once('close', () => count(socket, -(waiting.get(socket) ?? 0)))
    if (count(socket, 1) > MOST_WAITING || atAll > MOST_WAITING_AT_ALL) {
      socket.destroy()
      return
    }
    const { assignSocket } = response
    response.assignSocket = (given) => {
      count(socket, -1)
      assignSocket.call(response, given)
      answer()
    }
  }

  /** Answers how many wait on the connection with those that came or went. */
  function count(socket: Socket, more: number): number {
    const now = (waiting.get(socket) ?? 0) + more
    waiting.set(socket, now)
    atAll += more
    return now
  }
}
