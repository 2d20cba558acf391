import type { FastifyReply } from 'fastify'

const signals = new WeakMap<FastifyReply, AbortSignal>()

/** Why a request's signal is aborted: nobody reads its answer. */
export class ClientWentAway extends Error {
  constructor() {
    super('the client went away')
  }
}

/** Aborted when the client goes away before it has the whole answer. */
export function requestSignal(reply: FastifyReply): AbortSignal {
  const known = signals.get(reply)
  if (known) return known
  const controller = new AbortController()
  const { raw } = reply
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(new ClientWentAway())
  })
  if (raw.destroyed) controller.abort(new ClientWentAway())
  signals.set(reply, controller.signal)
  return controller.signal
}
