import { Readable } from 'node:stream'

/** Characters of an answer that are held to send it in one piece. */
const HELD = 8 * 2 ** 20

/**
 * An answer that is made in pieces: in one, if it is short, so that what fails on the way is told as an error; a longer one goes out as its receiver reads, and what
 * fails then breaks it off, and is told to `onBrokenOff`.
 */
export async function heldOrStreamed(pieces: AsyncGenerator<string>, onBrokenOff: (error: unknown) => void): Promise<string | Readable> {
  const held: string[] = []
  let length = 0
  for (;;) {
    const { value, done } = await pieces.next()
    if (done) return held.join('')
    held.push(value)
    length += value.length
    if (length > HELD) return Readable.from(behind(held, pieces, onBrokenOff))
  }
}

async function* behind(held: string[], pieces: AsyncGenerator<string>, onBrokenOff: (error: unknown) => void): AsyncGenerator<string> {
  while (held.length > 0) yield held.shift() ?? ''
  try {
    yield* pieces
  } catch (error) {
    onBrokenOff(error)
    throw error
  }
}
