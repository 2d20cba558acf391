import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

const waiting = new WeakSet<IncomingMessage>()

/**
 * Hands on a request whose sender waits for a go-ahead before it sends the body (RFC 9110 10.1.1). It is given when somebody begins to read,
 * so what is refused before that costs neither side a body.
 */
export const goAheadWhenRead =
  (handle: RequestListener) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const read = request._read
    waiting.add(request)
    request._read = (size) => {
      request._read = read
      if (waiting.delete(request) && !response.headersSent) response.writeContinue()
      read.call(request, size)
    }
    handle(request, response as Parameters<RequestListener>[1])
  }

/** For an answer that was decided without the body: whatever is read from now on is read to be thrown away. */
export const withholdGoAhead = (request: IncomingMessage): void => {
  waiting.delete(request)
}
