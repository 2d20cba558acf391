const INITIAL_BYTES = 16_384
/** A buffer that has grown beyond this is not kept. */
const MAX_KEPT_BYTES = 65_536

const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0])
const SYNC = Buffer.from([0x53, 0, 0, 0, 4])

/** Messages to PostgreSQL, one behind the other, to be sent in one write (PostgreSQL manual 55.7). */
export class PacketWriter {
  private buffer = Buffer.allocUnsafe(INITIAL_BYTES)
  private at = 0

  parse(name: string, text: string): void {
    const start = this.open(0x50)
    this.cstring(name)
    this.cstring(text)
    this.int16(0)
    this.close(start)
  }

  /**
   * To the unnamed portal; values and columns are texts.
   * @param head the first of them by {@link encodeValues}
   */
  bind(name: string, values: readonly (string | null)[], head?: EncodedValues): void {
    const start = this.open(0x42)
    this.cstring('')
    this.cstring(name)
    this.int16(0)
    this.int16(values.length)
    if (head) this.bytes(head.bytes)
    for (let i = head?.count ?? 0; i < values.length; i++) this.value(values[i] ?? null)
    this.int16(0)
    this.close(start)
  }

  execute(): void {
    this.bytes(EXECUTE)
  }

  closeStatement(name: string): void {
    const start = this.open(0x43)
    this.room(1)
    this.buffer[this.at++] = 0x53
    this.cstring(name)
    this.close(start)
  }

  sync(): void {
    this.bytes(SYNC)
  }

  get isEmpty(): boolean {
    return this.at === 0
  }

  /** What was written, until something else is; from then on nothing. */
  take(): Buffer {
    const packet = this.buffer.subarray(0, this.at)
    this.at = 0
    if (packet.length > MAX_KEPT_BYTES) this.giveAway()
    return packet
  }

  /** What was taken last belongs to somebody else. */
  giveAway(): void {
    this.buffer = Buffer.allocUnsafe(INITIAL_BYTES)
  }

  private open(type: number): number {
    this.room(5)
    this.buffer[this.at] = type
    this.at += 5
    return this.at - 4
  }

  private close(start: number): void {
    this.buffer.writeInt32BE(this.at - start, start)
  }

  /** Each with its length. */
  values(values: readonly (string | null)[]): void {
    for (const value of values) this.value(value)
  }

  private value(value: string | null): void {
    this.room(4)
    if (value === null) {
      this.buffer.writeInt32BE(-1, this.at)
      this.at += 4
      return
    }
    const start = this.at
    this.at += 4
    this.text(value)
    this.buffer.writeInt32BE(this.at - start - 4, start)
  }

  private text(text: string): void {
    // three bytes for a UTF-16 unit at most; what is long is measured
    this.room(text.length < 4_096 ? text.length * 3 : Buffer.byteLength(text))
    this.at += this.buffer.write(text, this.at)
  }

  private cstring(text: string): void {
    this.text(text)
    this.room(1)
    this.buffer[this.at++] = 0
  }

  private int16(value: number): void {
    this.room(2)
    this.buffer.writeUInt16BE(value, this.at)
    this.at += 2
  }

  private bytes(bytes: Buffer): void {
    this.room(bytes.length)
    this.buffer.set(bytes, this.at)
    this.at += bytes.length
  }

  private room(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes))
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
  }
}

export type EncodedValues = { readonly bytes: Buffer; readonly count: number }

/** What {@link PacketWriter.bind} writes of values, for those that are sent again and again. */
export function encodeValues(values: readonly (string | null)[]): EncodedValues {
  const writer = new PacketWriter()
  writer.values(values)
  return { bytes: Buffer.from(writer.take()), count: values.length }
}
