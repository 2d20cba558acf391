import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { withholdGoAhead } from '../go-ahead.ts'

/** What is still taken of a body that was refused: who sends all before he reads, as many clients do, gets his answer at once up to here. */
const TAKEN = 8 * 1024 * 1024
const LINGER_MS = 3_000

/**
 * A body for an answer to a request that is still being sent. It goes out at once, but the connection is kept for a moment: closed under a
 * sender, TCP throws the answer away before he has read it (RFC 9112 9.6). Then it is closed, whatever else he would send.
 */
export function lingeringBody(request: IncomingMessage, content: Buffer): Readable {
  const body = new Readable({ read: () => undefined })
  body.push(content)
  let taken = 0
  const take = (chunk: Buffer) => {
    taken += chunk.length
    if (taken > TAKEN) request.pause()
  }
  const end = () => {
    clearTimeout(timer)
    request.off('data', take).off('end', end).off('close', end)
    if (!body.destroyed) body.push(null)
  }
  const timer = setTimeout(end, LINGER_MS)
  body.once('close', end)
  withholdGoAhead(request)
  request.unpipe()
  request.on('error', () => undefined)
  request.on('data', take).on('end', end).on('close', end)
  request.resume()
  return body
}
