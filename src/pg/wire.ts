import { answerMemory } from '../std/answer-memory.ts'
import type { ArrivalClock } from './arrival-clock.ts'
import { type Exchange, NotBegun, readError } from './exchange.ts'
import type { NegotiatedSocket } from './negotiated-socket.ts'
import { PacketReader } from './packet-reader.ts'
import { PacketWriter } from './packet-writer.ts'
import { PgError } from './pg-error.ts'
import { PreparedNames } from './prepared-names.ts'

const ERROR_RESPONSE = 0x45
const READY_FOR_QUERY = 0x5a
const IDLE = 0x49
const PARAMETER_STATUS = 0x53
/** CopyInResponse, CopyOutResponse, CopyBothResponse: nothing of ours copies */
const COPIES = new Set([0x47, 0x48, 0x57])

/**
 * A connection that pg has opened (address, TLS, authentication), from then on read and written by ourselves: messages in one write, rows
 * out of the bytes that came. Exchanges may be under way one behind the other; each is answered in its turn.
 */
export class Wire {
  private readonly stream: NegotiatedSocket
  private readonly clock: ArrivalClock
  private readonly writer = new PacketWriter()
  private readonly underWay: Exchange[] = []
  private readonly names: PreparedNames | null
  private lost: Error | null = null
  private status = IDLE
  private flushing = false
  /** somebody has changed quoting, encoding, time zone or the like for longer than his transaction (PostgreSQL manual 55.2.7) */
  private tainted = false
  /** when what is being read has arrived */
  private arrivedAt = 0
  private tellDrained: (() => void) | null = null
  private tellLost: ((error: Error) => void) | null = null
  /** what PostgreSQL said though nobody had asked: why it is going to close the connection */
  farewell: Error | null = null

  /** @param mostPrepared prepared statements kept; 0 prepares none */
  constructor(stream: NegotiatedSocket, mostPrepared: number, clock: ArrivalClock) {
    this.stream = stream
    this.clock = clock
    this.names = mostPrepared > 0 ? new PreparedNames(mostPrepared) : null
    const reader = new PacketReader((type, bytes, start, end, isKept) => this.receive(type, bytes, start, end, isKept))
    stream.readInPlace((chunk) => {
      this.arrivedAt = this.clock.arrival(performance.now())
      try {
        reader.read(chunk)
      } catch (error) {
        this.fail(error as Error)
        this.destroy()
      }
    })
    stream.on('error', (error: Error) => this.fail(error))
    stream.on('close', () => this.fail(new Error('the connection was closed')))
  }

  /** @param soon when everything that has arrived was looked at, so that others may join it in one write; else it goes out at once */
  send(exchange: Exchange, soon = false): void {
    if (this.lost) {
      exchange.lose(this.lost)
      return
    }
    exchange.writeTo(this.writer, this.names)
    this.underWay.push(exchange)
    if (this.underWay.length === 1) exchange.begin(performance.now())
    if (!soon) this.flush()
    else if (!this.flushing) {
      this.flushing = true
      setImmediate(() => this.flush())
    }
  }

  /** No transaction is open and nothing is left of the last one: the next one may have the connection. */
  get isClean(): boolean {
    return this.status === IDLE && this.lost === null && !this.tainted
  }

  /** Called when the connection is closed or no longer understood, once; after those who waited for an answer were told. */
  onceLost(tell: (error: Error) => void): void {
    if (this.lost) tell(this.lost)
    else this.tellLost = tell
  }

  /** Called when nothing is under way any more, once. */
  onceDrained(tell: () => void): void {
    this.tellDrained = tell
  }

  /** What PostgreSQL works at, or will when it has read it. */
  get head(): Exchange | undefined {
    return this.underWay[0]
  }

  /** Those from `index` on are told that they were not begun; what comes for them all the same is read and forgotten. */
  passOver(index: number): void {
    for (const exchange of this.underWay.slice(index)) exchange.lose(new NotBegun())
  }

  forgetNames(): void {
    this.names?.forgetAll()
  }

  get preparesNames(): boolean {
    return this.names !== null
  }

  destroy(): void {
    this.stream.destroy()
  }

  /** Gives the connection up if it does not answer in time. */
  giveUpIfLate(now: number): void {
    if (this.underWay.some((exchange) => exchange.isLate(now))) this.destroy()
  }

  private flush(): void {
    this.flushing = false
    if (this.lost !== null || this.writer.isEmpty) return
    this.stream.write(this.writer.take())
    // what the kernel did not take at once is still to be read from there
    if (this.stream.writableLength > 0) this.writer.giveAway()
  }

  private receive(type: number, bytes: Buffer, start: number, end: number, isKept: boolean): void {
    const [exchange] = this.underWay
    if (type === READY_FOR_QUERY) this.status = bytes[start] ?? 0
    if (type === PARAMETER_STATUS) this.tainted = true
    if (COPIES.has(type)) throw new Error('a statement wants to copy')
    if (!exchange) {
      if (type === ERROR_RESPONSE) this.farewell = new PgError(readError(bytes, start, end), 0)
      return
    }
    // out of the queue before it settles: whoever waited for it may send the next one
    if (type === READY_FOR_QUERY) {
      this.underWay.shift()
      this.underWay[0]?.begin(this.arrivedAt)
      exchange.end(this.arrivedAt)
    }
    const isHandedOn = exchange.receive(type, bytes, start, end, isKept)
    if (isKept && !isHandedOn) answerMemory.giveBack(bytes)
    if (this.tellDrained && this.underWay.length === 0) {
      const tell = this.tellDrained
      this.tellDrained = null
      tell()
    }
  }

  private fail(error: Error): void {
    if (this.lost) return
    this.lost = error
    const [head, ...behind] = this.underWay.splice(0)
    head?.lose(error)
    for (const exchange of behind) exchange.lose(new NotBegun())
    this.tellLost?.(error)
  }
}
