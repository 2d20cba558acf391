import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Why a signal of these is aborted: nobody reads the answer. */
export class ClientWentAway extends Error {
  constructor() {
    super('the client went away')
  }
}

const ofConnections = new WeakMap<Socket, AbortSignal>()

/** Aborted when the client's connection closes. One for all requests on it, so whoever listens has to leave again: that spares a tenth of a small request. */
export function connectionSignal({ socket }: IncomingMessage): AbortSignal {
  const known = ofConnections.get(socket)
  if (known) return known
  const gone = new AbortController()
  ofConnections.set(socket, gone.signal)
  const abort = () => gone.abort(new ClientWentAway())
  if (socket.destroyed) abort()
  else socket.once('close', abort)
  return gone.signal
}

/** Aborted when the client goes away before it has the whole answer; for work that makes further signals of it, which live as long as it does. */
export function requestSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new ClientWentAway())
  if (response.destroyed) abort()
  else
    response.once('close', () => {
      if (!response.writableFinished) abort()
    })
  return controller.signal
}
