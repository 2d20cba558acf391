import { answerMemory, MOST_ANSWER_BYTES } from '../std/answer-memory.ts'

/** A message of PostgreSQL's: its type's letter, and where in `bytes` its body lies. Those are not kept if they are the chunk that was read. */
export type OnMessage = (type: number, bytes: Buffer, start: number, end: number, isKept: boolean) => void

const HEADER_BYTES = 5
/** Shorter ones come whole nearly always. */
const FEW_BYTES = 4_096
/** PostgreSQL's own bound of an allocation, 1 GiB; more is no message. */
const MAX_MESSAGE_BYTES = 2 ** 30 + 64

/** Finds the messages in what a socket brings (PostgreSQL manual 55.7). One that comes in pieces is put together once. */
export class PacketReader {
  private readonly onMessage: OnMessage
  /** a message that is not complete: all of its room, or of its header while the length is not known */
  private partial: Buffer | null = null
  private filled = 0

  constructor(onMessage: OnMessage) {
    this.onMessage = onMessage
  }

  /** @throws RangeError for a length that no message has: whoever speaks there is no PostgreSQL */
  read(chunk: Buffer): void {
    let at = this.partial ? this.fill(chunk, 0) : 0
    while (chunk.length - at >= HEADER_BYTES) {
      const size = sizeAt(chunk, at)
      if (chunk.length - at < size) {
        this.begin(size)
        this.fill(chunk, at)
        return
      }
      this.onMessage(chunk[at] ?? 0, chunk, at + HEADER_BYTES, at + size, false)
      at += size
    }
    if (at < chunk.length) {
      this.begin(HEADER_BYTES)
      this.fill(chunk, at)
    }
  }

  private begin(size: number): void {
    this.partial = room(size)
    this.filled = 0
  }

  /** Takes what the message still lacks, and tells of it when it is whole. Answers where the rest of the chunk starts. */
  private fill(chunk: Buffer, from: number): number {
    let at = from
    for (let { partial } = this; partial; partial = this.partial) {
      const taken = chunk.copy(partial, this.filled, at, Math.min(chunk.length, at + partial.length - this.filled))
      this.filled += taken
      at += taken
      if (this.filled < partial.length) return at
      const size = sizeAt(partial, 0)
      if (size > partial.length) {
        const whole = room(size)
        partial.copy(whole)
        this.partial = whole
        continue
      }
      this.partial = null
      this.onMessage(partial[0] ?? 0, partial, HEADER_BYTES, size, true)
    }
    return at
  }
}

function sizeAt(bytes: Buffer, at: number): number {
  const size = bytes.readUInt32BE(at + 1) + 1
  if (size < HEADER_BYTES || size > MAX_MESSAGE_BYTES) throw new RangeError(`a message of ${size} bytes`)
  return size
}

const room = (size: number): Buffer =>
  size > FEW_BYTES && size <= MOST_ANSWER_BYTES ? answerMemory.lend().subarray(0, size) : Buffer.allocUnsafe(size)
