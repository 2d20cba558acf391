import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What waits on a connection behind the request that is being answered, in plain requests ({@link weightOf}). */
const MOST_WAITING = 2_000
/** And on all connections together. */
const MOST_WAITING_AT_ALL = 5_000
const FIELDS_OF_A_PLAIN_REQUEST = 20
const BYTES_OF_A_PLAIN_REQUEST = 2_000
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
      if (response.socket === null) wait(request, response, () => tell(listeners, request, response))
      else tell(listeners, request, response)
    })
  }

  function tell(listeners: readonly RequestListener[], request: IncomingMessage, response: ServerResponse): void {
    for (const listener of listeners) listener.call(server, request, response as Parameters<RequestListener>[1])
  }

  function wait(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
    const { socket } = request
    if (socket.destroyed) return
    const weight = weightOf(request)
    if (!waiting.has(socket)) socket.once('close', () => count(socket, -(waiting.get(socket) ?? 0)))
    if (count(socket, weight) > MOST_WAITING || atAll > MOST_WAITING_AT_ALL) {
      socket.destroy()
      return
    }
    const { assignSocket } = response
    response.assignSocket = (given) => {
      // of one that is gone all are given back when it closes
      if (!given.destroyed) count(socket, -weight)
      assignSocket.call(response, given)
      // nobody is there to answer; and Node may be in the middle of giving up what was written to it
      if (given.writable) answer()
    }
  }

  /** Answers what waits on the connection with what came or went. */
  function count(socket: Socket, more: number): number {
    const now = (waiting.get(socket) ?? 0) + more
    waiting.set(socket, now)
    atAll += more
    return now
  }
}

/** Headers are what a request keeps in memory while it waits: thousands of short ones weigh hundreds of kilobytes. */
function weightOf({ rawHeaders }: IncomingMessage): number {
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length, 0)
  return Math.ceil(rawHeaders.length / FIELDS_OF_A_PLAIN_REQUEST + bytes / BYTES_OF_A_PLAIN_REQUEST)
}
