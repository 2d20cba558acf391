import http, { type IncomingHttpHeaders } from 'node:http'
import type { Content, Part, Step } from './case-file.ts'
import { fillIn, fillInAll, type Names } from './fill-in.ts'

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

const BOUNDARY = 'recorded-case-boundary'
const PATIENCE_MS = 30_000

/** One request as the step writes it: the path goes out unescaped and unnormalised, and no header is sent that is not named. */
export function send(base: URL, tokens: ReadonlyMap<string, string>, step: Step, names: Names): Promise<Answer> {
  const headers: Record<string, string> = {}
  const token = step.as === undefined || step.as === 'nobody' ? undefined : tokens.get(step.as)
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  const body = step.multipart ? formOf(step.multipart, names) : bytesOf(step, names)
  if (step.json !== undefined) headers['content-type'] = 'application/json'
  if (step.multipart) headers['content-type'] = `multipart/form-data; boundary=${BOUNDARY}`
  for (const [name, value] of Object.entries(step.headers ?? {})) {
    if (value === null) delete headers[name.toLowerCase()]
    else headers[name.toLowerCase()] = fillIn(value, names)
  }
  if (body && !step.chunked) headers['content-length'] ??= String(body.length)
  const query = new URLSearchParams(fillInAll(step.query ?? {}, names) as Record<string, string>).toString()
  const path = base.pathname.replace(/\/$/, '') + fillIn(step.path ?? '', names) + (query && `?${query}`)
  // a length that is not the body's needs a connection of its own
  const lies = step.headers?.['content-length'] !== undefined
  if (lies) headers.connection = 'close'

  return new Promise((resolve, reject) => {
    const options = { host: base.hostname, port: base.port, method: step.method, path, headers, timeout: PATIENCE_MS }
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
        if (lies) request.destroy()
      })
    })
    request.on('timeout', () => request.destroy(new Error('no answer in time')))
    request.on('error', reject)
    if (body && step.chunked) request.write(body)
    request.end(step.chunked ? undefined : body)
  })
}

function bytesOf(content: Content, names: Names): Buffer | undefined {
  if (content.json !== undefined) return Buffer.from(JSON.stringify(fillInAll(content.json, names)))
  if (content.text !== undefined) return Buffer.from(fillIn(content.text, names))
  if (content.base64 !== undefined) return Buffer.from(content.base64, 'base64')
  return content.random && mulberry32(content.random.bytes, content.random.seed)
}

function formOf(parts: readonly Part[], names: Names): Buffer {
  const chunks = parts.flatMap((part) => {
    const file = part.filename === undefined ? '' : `; filename="${part.filename}"`
    const type = part.type ? `content-type: ${part.type}\r\n` : ''
    const content = part.value === undefined ? bytesOf(part, names) : Buffer.from(fillIn(part.value, names))
    return [`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${part.name}"${file}\r\n${type}\r\n`, content ?? '', '\r\n']
  })
  return Buffer.concat([...chunks, `--${BOUNDARY}--\r\n`].map((chunk) => Buffer.from(chunk)))
}

/** The generator of that name, one byte a draw: the same bytes on every machine. */
function mulberry32(count: number, seed: number): Buffer {
  const out = Buffer.alloc(count)
  let state = seed >>> 0
  for (let i = 0; i < count; i++) {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    out[i] = (mixed ^ (mixed >>> 14)) & 255
  }
  return out
}
