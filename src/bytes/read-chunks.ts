import type { Readable } from 'node:stream'

/**
 * The chunks of a body as they arrive. Unlike the stream's own iterator it never destroys the body: when a put is refused half-way,
 * whoever owns the socket may still want to answer on it. Ends early with the signal's reason, or when the body breaks off.
 */
export function readChunks(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  // heard from now on, and after the last chunk: a body that breaks before it is asked for, or after it was refused, must not end the process
  body.on('error', () => undefined)
  return chunksOf(body, signal)
}

async function* chunksOf(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  let wake: () => void = () => {}
  let failure: unknown
  let failed = false
  let ended = false
  const fail = (error: unknown) => {
    if (!failed) failure = error
    failed = true
    wake()
  }
  const onAbort = () => fail(signal.reason)
  const onReadable = () => wake()
  const onEnd = () => {
    ended = true
    wake()
  }
  const onClose = () => {
    if (!ended) fail(new BodyBrokeOff('the body ended before it was complete'))
  }
  signal.throwIfAborted()
  if (body.errored) throw body.errored
  signal.addEventListener('abort', onAbort, { once: true })
  body.on('readable', onReadable).on('end', onEnd).on('error', fail).on('close', onClose)
  try {
    if (body.readableEnded) ended = true
    else if (body.destroyed) onClose()
    for (;;) {
      if (failed) throw failure
      const chunk: unknown = ended ? null : body.read()
      if (chunk !== null) {
        yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as Uint8Array)
        continue
      }
      if (ended) return
      await new Promise<void>((resolve) => {
        wake = resolve
        if (failed || ended) resolve()
      })
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    body.off('readable', onReadable).off('end', onEnd).off('error', fail).off('close', onClose)
  }
}

/** The sender went away in the middle. */
export class BodyBrokeOff extends Error {
  override readonly name = 'BodyBrokeOff'
}
