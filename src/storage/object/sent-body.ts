import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { DamagedBytes, LentBytes } from '../../bytes/byte-store.ts'

/**
 * The bytes of a store on their way to a receiver, counted and compared with a checksum. The chunk with the last byte is handed on when all fit; else
 * the body fails before it, so that no answer ends as if it were right. Keeps nothing back for a receiver who is slow: the store's own stream does.
 */
export class SentBody extends Readable {
  private readonly source: Readable
  private readonly size: number
  private readonly checksum: number | null
  private length = 0
  private crc = 0
  private isWanted = false

  /**
   * @param size how many bytes there have to be
   * @param checksum CRC-32 of all of them; null: it is not looked at
   */
  constructor(source: Readable, size: number, checksum: number | null) {
    super({ highWaterMark: 0 })
    this.source = source
    this.size = size
    this.checksum = checksum
    source.on('readable', () => this.hand())
    source.on('end', () => {
      if (this.length < size) this.destroy(new DamagedBytes(`there are only ${this.length} bytes of ${size}`))
      else this.push(null)
    })
    source.on('error', (error) => this.destroy(error))
    source.on('close', () => {
      if (!source.readableEnded) this.destroy(new Error('the store broke off'))
    })
  }

  /** As that of every stream; and a chunk's memory goes back to the store when the receiver's connection has taken it. */
  override pipe<T extends NodeJS.WritableStream>(to: T): T {
    const { source } = this
    const taken = source instanceof LentBytes ? (chunk: Buffer) => source.giveBack(chunk) : () => undefined
    this.on('data', (chunk: Buffer) => {
      if (!to.write(chunk, (error) => error ?? taken(chunk))) this.pause()
    })
    to.on('drain', () => this.resume())
    this.once('end', () => to.end())
    return to
  }

  override _read(): void {
    this.isWanted = true
    this.hand()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.source.destroy()
    done(error)
  }

  private hand(): void {
    if (!this.isWanted) return
    const chunk = this.source.read() as Buffer | null
    if (chunk === null) return
    this.isWanted = false
    this.length += chunk.length
    if (this.checksum !== null) this.crc = crc32(chunk, this.crc)
    if (this.length > this.size) this.destroy(new DamagedBytes(`there are more than ${this.size} bytes`))
    else if (this.length === this.size && this.checksum !== null && this.crc !== this.checksum)
      this.destroy(new DamagedBytes(OTHER_CHECKSUM))
    else this.push(chunk)
  }
}

export const OTHER_CHECKSUM = 'their checksum is another'
