import { EventEmitter } from 'node:events'
import * as net from 'node:net'
import * as tls from 'node:tls'
import type { SslMode } from '../config/database-address.ts'
import { createBindingGuard } from './binding-guard.ts'

export type Negotiation = {
  readonly mode: SslMode
  readonly negotiation: 'postgres' | 'direct'
  /** certificates and how strictly the server's is looked at */
  readonly trust: tls.ConnectionOptions
  /** refuse a server that does not prove, by SCRAM with channel binding, that nobody stands between */
  readonly requireBinding: boolean
}

/** SSLRequest, PostgreSQL manual 54.7 */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const YES = 0x53
const NO = 0x4e
const ERROR = 0x45
/** What one look at a socket takes at most; as much as Node's own. */
const READ_BYTES = 65_536
/** How a server says that pg_hba.conf has no line for this login with, or without, encryption. */
const REFUSED = 'C28000\0'

/**
 * The stream under a connection of pg's: a socket that settles encryption as libpq does before pg says its first word. Events and calls pass
 * straight through to the socket below, which is another one after a second try; pg does not learn of it. What comes is read into one piece of
 * memory a connection.
 */
export class NegotiatedSocket extends EventEmitter {
  private readonly how: Negotiation
  private readonly inspect: ((chunk: Buffer) => string | null) | null
  private socket: net.Socket | null = null
  private target = { port: 0, host: '' }
  /** pg's first message, kept until the server has said something */
  private startup: Buffer | null = null
  private isSecure = false
  private hasAnswer = false
  private wasReady = false
  private mayTryOther: boolean
  private isDestroyed = false
  private keepAlive: { readonly on: boolean; readonly delayMs: number } | null = null
  private take: ((chunk: Buffer) => void) | null = null

  constructor(how: Negotiation) {
    super()
    this.how = how
    this.mayTryOther = how.mode === 'allow' || how.mode === 'prefer'
    this.inspect = how.requireBinding ? createBindingGuard() : null
  }

  connect(port: number | string, host?: string): this {
    this.target = { port: Number(port), host: host ?? '' }
    if (this.how.mode === 'disable' || this.how.mode === 'allow') this.connectPlain(typeof port === 'string' ? port : null)
    else this.connectSecure()
    return this
  }

  private connectPlain(path: string | null = null): void {
    const socket = this.open(path)
    socket.once('connect', () => this.begin(socket, false))
  }

  private connectSecure(): void {
    const socket = this.open(null)
    if (this.how.negotiation === 'direct') {
      socket.once('connect', () => this.handshake(socket))
      return
    }
    socket.once('connect', () => socket.write(SSL_REQUEST))
    socket.once('data', (answer: Buffer) => {
      const [word] = answer
      // whoever sends more before the handshake wants it to be taken for encrypted (CVE-2021-23222)
      if (word === YES && answer.length === 1) this.handshake(socket)
      else if (word === NO && answer.length === 1 && this.how.mode === 'prefer') this.begin(socket, false)
      else if (word === NO) this.fail(socket, new Error(`the server does not offer TLS, and sslmode=${this.how.mode} asks for it`))
      else this.fail(socket, new Error('the server does not understand the request for TLS'))
    })
  }

  private handshake(raw: net.Socket): void {
    const { host } = this.target
    raw.removeAllListeners()
    const secure = tls.connect({
      ...this.how.trust,
      socket: raw,
      host,
      // RFC 6066 section 3: no addresses
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
      ...(this.how.negotiation === 'direct' ? { ALPNProtocols: ['postgresql'] } : {}),
    })
    this.watch(secure)
    secure.once('secureConnect', () => {
      if (this.how.negotiation === 'direct' && secure.alpnProtocol !== 'postgresql')
        this.fail(secure, new Error('the server does not take sslnegotiation=direct'))
      else this.begin(secure, true)
    })
  }

  private open(path: string | null): net.Socket {
    const { port, host } = this.target
    // into one piece of memory again and again: one made for each look is garbage outside of the heap, of which little brings on large collections
    const onread: net.OnReadOpts = {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback: (count, buffer) => {
        socket.emit('data', (buffer as Buffer).subarray(0, count))
        return true
      },
    }
    const socket = path === null ? net.connect({ port, host, noDelay: true, onread }) : net.connect({ path, onread })
    if (this.keepAlive) socket.setKeepAlive(this.keepAlive.on, this.keepAlive.delayMs)
    this.watch(socket)
    return socket
  }

  /** Until pg has taken over, an error may mean that the other way is worth a try. */
  private watch(socket: net.Socket): void {
    this.socket = socket
    socket.on('error', (error) => this.fail(socket, error))
    socket.on('close', () => socket === this.socket && this.emit('close'))
  }

  private fail(socket: net.Socket, error: Error): void {
    if (socket !== this.socket) return
    const isHandshake = !this.wasReady && (socket instanceof tls.TLSSocket || socket.bytesRead > 0)
    if (isHandshake && this.how.mode === 'prefer' && this.mayTryOther && !this.isDestroyed) this.tryOther()
    else {
      this.emit('error', error)
      socket.destroy()
    }
  }

  private begin(socket: net.Socket, isSecure: boolean): void {
    this.isSecure = isSecure
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.on('end', () => socket === this.socket && this.emit('end'))
    socket.on('drain', () => this.emit('drain'))
    if (this.startup) {
      socket.write(this.startup)
      return
    }
    this.wasReady = true
    this.emit('connect')
  }

  private receive(chunk: Buffer): void {
    if (!this.hasAnswer) {
      const isRefused = chunk[0] === ERROR && chunk.includes(REFUSED)
      if (isRefused && this.mayTryOther && this.isSecure === (this.how.mode === 'prefer')) {
        this.tryOther()
        return
      }
      this.hasAnswer = true
      this.startup = null
    }
    if (this.take) {
      this.take(chunk)
      return
    }
    const kept = Buffer.from(chunk)
    const objection = this.inspect?.(kept) ?? null
    if (objection === null) {
      this.emit('data', kept)
      return
    }
    this.emit('error', new Error(objection))
    this.socket?.destroy()
  }

  private tryOther(): void {
    this.mayTryOther = false
    const given = this.socket
    this.socket = null
    given?.removeAllListeners()
    given?.on('error', () => undefined)
    given?.destroy()
    if (this.how.mode === 'allow') this.connectSecure()
    else this.connectPlain()
  }

  /** what SCRAM binds to (RFC 5929 section 4) */
  getPeerCertificate(): tls.PeerCertificate | null {
    return this.socket instanceof tls.TLSSocket ? this.socket.getPeerCertificate() : null
  }

  /** From now on `take` is given what comes, and pg is not; it stands there until more comes. */
  readInPlace(take: (chunk: Buffer) => void): void {
    this.removeAllListeners('data')
    this.take = take
  }

  get writable(): boolean {
    return this.socket?.writable ?? false
  }

  /** bytes of earlier writes that the socket below still holds */
  get writableLength(): number {
    return this.socket?.writableLength ?? 0
  }

  write(chunk: Buffer, done?: () => void): boolean {
    if (!this.hasAnswer) this.startup ??= chunk
    return this.socket?.write(chunk, done) ?? false
  }

  end(): void {
    this.socket?.end()
  }

  destroy(error?: Error): void {
    this.isDestroyed = true
    this.socket?.destroy(error)
  }

  cork(): void {
    this.socket?.cork()
  }

  uncork(): void {
    this.socket?.uncork()
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(on: boolean, delayMs: number): this {
    this.keepAlive = { on, delayMs }
    this.socket?.setKeepAlive(on, delayMs)
    return this
  }

  ref(): this {
    this.socket?.ref()
    return this
  }

  unref(): this {
    this.socket?.unref()
    return this
  }
}
