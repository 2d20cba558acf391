import pg from 'pg'
import type { ArrivalClock } from './arrival-clock.ts'
import type { NegotiatedSocket } from './negotiated-socket.ts'
import { Wire } from './wire.ts'

/** A CancelRequest is answered by closing its connection, at once. */
const CANCEL_LIMIT_MS = 5_000

/** What a connection is wanted for: a short question, a change, which may wait for a lock or for the disk, or what may take long. */
export type Purpose = 'question' | 'change' | 'long'

/** A connection that pg opens (address, TLS, authentication), used by a {@link Wire}; and what a lender notes about it. */
export class Connection {
  readonly wire: Wire
  /** 'idle' with nobody; 'whole' with one batch alone; 'shared' by batches that are answered one behind the other */
  use: 'idle' | 'whole' | 'shared' = 'idle'
  /** where it is lent whole */
  lentFor: Purpose | null = null
  /** batches that share it */
  places = 0
  /** milliseconds that those are expected to take, one behind the other */
  expectedMs = 0
  idleSince = 0
  private readonly client: pg.Client
  private readonly config: pg.ClientConfig

  private constructor(client: pg.Client, config: pg.ClientConfig, wire: Wire) {
    this.client = client
    this.config = config
    this.wire = wire
  }

  /**
   * @param mostPrepared prepared statements kept; 0 prepares none
   * @throws Error of pg's, of the socket's or of the server's
   */
  static async open(config: pg.ClientConfig, mostPrepared: number, clock: ArrivalClock): Promise<Connection> {
    const client = new pg.Client(config)
    // one that dies under a batch tells it through its exchange; as an event that nobody hears it would end the process
    client.on('error', () => undefined)
    await client.connect()
    return new Connection(client, config, new Wire(streamOf(client), mostPrepared, clock))
  }

  /** Says goodbye, and waits until it is closed. Never rejects. */
  async end(): Promise<void> {
    await this.client.end().catch(() => undefined)
  }

  /**
   * A CancelRequest goes over a connection of its own (PostgreSQL manual 55.2.8), which pg can make though its types leave that out.
   * One that does not arrive changes nothing: the statement's timeout ends what it was meant for.
   */
  cancel(): void {
    const { host, port, connection } = new pg.Client(this.config) as unknown as Canceller
    const { processID, secretKey } = this.client as unknown as Canceller
    connection.on('error', () => undefined)
    // a server that stands still takes connections and closes none
    const late = setTimeout(() => connection.stream.destroy(), CANCEL_LIMIT_MS)
    late.unref()
    connection.on('end', () => clearTimeout(late))
    connection.on('connect', () => connection.cancel(processID, secretKey))
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  }
}

const streamOf = (client: pg.Client): NegotiatedSocket =>
  (client as unknown as { connection: { stream: NegotiatedSocket } }).connection.stream

type Canceller = {
  readonly host: string
  readonly port: number
  readonly processID: number
  readonly secretKey: number
  readonly connection: {
    readonly stream: { destroy(): void }
    on(event: 'connect' | 'error' | 'end', listener: () => void): void
    connect(port: number | string, host?: string): void
    cancel(processID: number, secretKey: number): void
  }
}
