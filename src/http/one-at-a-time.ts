import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that may wait on a connection behind the one that is being answered. */
const MOST_WAITING = 100
const EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const

/**
 * Answers the requests of a connection one after the other: each when the answer before it has gone out. Node hands out all that it finds in what a client
 * has sent ahead (RFC 9112 9.3.2), hundreds at a time, and keeps their answers in memory for as long as the client does not read. A connection that sends more than
 * {@link MOST_WAITING} ahead is ended. To be called when the server has its listeners.
 */
export function answerOneAtATime(server: Server): void {
  const waiting = new WeakMap<Socket, number>()
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
    const ahead = (waiting.get(socket) ?? 0) + 1
    waiting.set(socket, ahead)
    if (ahead > MOST_WAITING) {
      socket.destroy()
      return
    }
    const { assignSocket } = response
    response.assignSocket = (given) => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      assignSocket.call(response, given)
      answer()
    }
  }
}
