import { connect, type Socket } from 'node:net'

/** Bytes for a socket, as they are. Text is sent as UTF-8; `head` makes Latin-1 of what goes before a body. */
export type Payload = string | Buffer

/** One answer as it came: names of headers in lower case, each as often as it was sent. */
export type Answer = {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  /** true if the connection ended before the body was as long as announced */
  readonly cut: boolean
}

export type Conversation = {
  readonly answers: readonly Answer[]
  /** everything that was received */
  readonly received: Buffer
  /** the other side ended the connection, and how */
  readonly ended: 'closed' | 'reset' | 'still open'
  /** from the last byte sent, or the connection's end, to the last byte received */
  readonly ms: number
}

export type SendOptions = {
  /** answers after which the conversation is over; by default it goes on until the other side closes */
  readonly answers?: number
  /** the longest to wait, milliseconds */
  readonly patience?: number
  /** between two pieces, milliseconds */
  readonly pause?: number
  /** ends our side once everything is sent */
  readonly halfClose?: boolean
  /** destroys the connection after this many bytes of the payload */
  readonly cutAfter?: number
  /** answers to HEAD announce a body that does not come */
  readonly bodiless?: boolean
}

const PATIENCE = 10_000

/** Says `pieces` to a port of this machine and hears what comes back. Nothing is normalised on the way. */
export function send(port: number, pieces: Payload | readonly Payload[], options: SendOptions = {}): Promise<Conversation> {
  const { answers: wanted = Number.POSITIVE_INFINITY, patience = PATIENCE } = options
  const parts = (Array.isArray(pieces) ? pieces : [pieces]).map((piece: Payload) =>
    typeof piece === 'string' ? Buffer.from(piece) : piece,
  )
  return new Promise((resolve) => {
    const received: Buffer[] = []
    let lastSent = performance.now()
    let lastHeard = lastSent
    let over = false
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const finish = (ended: Conversation['ended']) => {
      if (over) return
      over = true
      clearTimeout(timer)
      if (ended === 'still open') socket.resetAndDestroy()
      else socket.destroy()
      const all = Buffer.concat(received)
      resolve({ answers: readAnswers(all, options.bodiless), received: all, ended, ms: Math.max(0, lastHeard - lastSent) })
    }
    const timer = setTimeout(() => finish('still open'), patience)
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk)
      lastHeard = performance.now()
      if (Number.isFinite(wanted) && readAnswers(Buffer.concat(received), options.bodiless).filter(({ cut }) => !cut).length >= wanted)
        finish('still open')
    })
    socket.on('end', () => finish('closed'))
    socket.on('error', () => finish('reset'))
    socket.on('close', () => finish('reset'))
    socket.once('connect', async () => {
      await write(socket, parts, options)
      lastSent = performance.now()
    })
  })
}

async function write(socket: Socket, parts: readonly Buffer[], { pause = 0, halfClose = false, cutAfter }: SendOptions): Promise<void> {
  let left = cutAfter ?? Number.POSITIVE_INFINITY
  for (const part of parts) {
    if (socket.destroyed) return
    const bytes = part.subarray(0, left)
    left -= bytes.length
    // what cannot be sent any more is answered on the other half
    await new Promise<void>((resolve) => {
      const done = () => {
        socket.off('close', done)
        resolve()
      }
      socket.once('close', done)
      socket.write(bytes, done)
    })
    if (left <= 0) {
      socket.resetAndDestroy()
      return
    }
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
  }
  if (halfClose) socket.end()
}

type Header = readonly [name: string, value: string]

/** A request's bytes. The head is Latin-1, so a target or a header may hold any byte; `Connection: close` and a length are added where none is given. */
export function request(method: string, target: string, headers: readonly Header[] = [], body: Payload = ''): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : body
  const has = (name: string) => headers.some(([given]) => given.toLowerCase() === name)
  const all: Header[] = [...(has('host') ? [] : [['Host', 'x'] as const]), ...headers]
  if (!has('connection')) all.push(['Connection', 'close'])
  const needsLength = content.length > 0 || ['POST', 'PUT', 'PATCH'].includes(method)
  if (needsLength && !has('content-length') && !has('transfer-encoding')) all.push(['Content-Length', String(content.length)])
  return Buffer.concat([head(`${method} ${target} HTTP/1.1`, all), content])
}

export const head = (line: string, headers: readonly Header[]): Buffer =>
  Buffer.from(`${line}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`, 'latin1')

/** One chunk of a chunked body (RFC 9112 7.1). */
export function chunk(content: Payload): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

export const LAST_CHUNK = Buffer.from('0\r\n\r\n')

const HEAD_END = Buffer.from('\r\n\r\n')

/** The final answers in what was received; interim ones (1xx) are passed over. */
function readAnswers(all: Buffer, bodiless = false): readonly Answer[] {
  const answers: Answer[] = []
  let at = 0
  while (at < all.length) {
    const end = all.indexOf(HEAD_END, at)
    if (end < 0) break
    const [line = '', ...lines] = all.subarray(at, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? Number.NaN)
    if (Number.isNaN(status)) break
    const headers = lines.map((text): Header => {
      const colon = text.indexOf(':')
      return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()]
    })
    at = end + HEAD_END.length
    if (status < 200) continue
    const { body, next, cut } = bodiless ? { body: Buffer.alloc(0), next: at, cut: false } : readBody(all, at, headers, status)
    answers.push({ status, headers, body, cut })
    at = next
  }
  return answers
}

type Body = { readonly body: Buffer; readonly next: number; readonly cut: boolean }

function readBody(all: Buffer, at: number, headers: readonly Header[], status: number): Body {
  const value = (name: string) => headers.find(([given]) => given === name)?.[1]
  if (value('transfer-encoding') === 'chunked') return readChunks(all, at)
  const length = Number(value('content-length') ?? Number.NaN)
  if (status === 204 || status === 304) return { body: Buffer.alloc(0), next: at, cut: false }
  if (Number.isNaN(length)) return { body: all.subarray(at), next: all.length, cut: false }
  const body = all.subarray(at, at + length)
  return { body, next: at + body.length, cut: body.length < length }
}

function readChunks(all: Buffer, from: number): Body {
  const parts: Buffer[] = []
  let at = from
  for (;;) {
    const end = all.indexOf('\r\n', at)
    const length = end < 0 ? Number.NaN : Number.parseInt(all.subarray(at, end).toString('latin1'), 16)
    if (Number.isNaN(length)) return { body: Buffer.concat(parts), next: all.length, cut: true }
    at = end + 2
    if (length === 0) return { body: Buffer.concat(parts), next: Math.min(all.length, at + 2), cut: false }
    if (at + length > all.length) return { body: Buffer.concat([...parts, all.subarray(at)]), next: all.length, cut: true }
    parts.push(all.subarray(at, at + length))
    at += length + 2
  }
}

export const headerOf = ({ headers }: Answer, name: string): string | undefined => headers.find(([given]) => given === name)?.[1]
export const headersOf = ({ headers }: Answer, name: string): readonly string[] =>
  headers.filter(([given]) => given === name).map(([, value]) => value)

export function jsonOf({ body }: Answer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
