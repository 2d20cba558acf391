import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Milliseconds } from '../std/brand.ts'
import type { App } from './app.ts'

export type Drain = {
  /** how long connections that stand idle are still answered on */
  readonly lingerMs: Milliseconds
  /** after it what is left is cut off */
  readonly limitMs: Milliseconds
}

const LOOK_MS = 50
/** A connection on which nothing was ever said does not count as idle; clients open some to have them. */
const SILENCE_MS = 1_000

/**
 * Ends the server so that no request is refused: no new connections; requests on those that are there are answered, and told that it is the
 * last answer, so that the client goes elsewhere; idle ones are closed only after a while, since one whose next request is on its way looks
 * idle too. A framework would turn requests away from here on, and Node would close idle connections at once.
 */
export async function drain(app: App, { lingerMs, limitMs }: Drain): Promise<void> {
  const server: HttpServer = app.server
  if (server.listening) {
    const closed = new Promise<void>((resolve) => server.once('close', resolve))
    server.prependListener('request', (_, response: ServerResponse) => {
      response.shouldKeepAlive = false
    })
    // the one of the class below: http's own closes idle connections
    NetServer.prototype.close.call(server)
    const began = performance.now()
    const look = setInterval(() => {
      const waited = performance.now() - began
      if (waited >= limitMs) server.closeAllConnections()
      else if (waited >= lingerMs) {
        server.closeIdleConnections()
        server.headersTimeout = SILENCE_MS
      }
    }, LOOK_MS)
    if (lingerMs === 0) server.closeIdleConnections()
    await closed
    clearInterval(look)
  }
  await app.close()
}
