import type { ChildProcess } from 'node:child_process'

/** What Node says to a worker when it hands a connection over, and what comes back (lib/internal/cluster, from Node 10 to 24). */
type HandOver = { readonly act?: unknown; readonly seq?: unknown }
type Reply = { readonly ack?: unknown }

const LAST_WORDS_MS = 500

/**
 * Closes the connections that were on their way to a worker when it died. Node lets go of a connection when its worker says that it has it, and never
 * when the worker dies before that: its client would wait for ever. With a Node that says these things in other words nothing is closed.
 */
export function closeUndelivered(child: ChildProcess): void {
  const underWay = new Map<unknown, { readonly close: () => void }>()
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean
  child.send = (message: unknown, handle?: unknown, ...rest: readonly unknown[]) => {
    const { act, seq } = (message ?? {}) as HandOver
    if (act === 'newconn' && canClose(handle)) underWay.set(seq, handle)
    return send(message, handle, ...rest)
  }
  child.on('internalMessage', (message: Reply | null) => underWay.delete(message?.ack))
  // with a connection under way the channel is never said to be closed; by then all that the worker had said is read
  child.once('exit', () =>
    setTimeout(() => {
      for (const handle of underWay.values()) handle.close()
      underWay.clear()
    }, LAST_WORDS_MS),
  )
}

const canClose = (handle: unknown): handle is { readonly close: () => void } =>
  typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function'
