import { createHash } from 'node:crypto'
import type { Expectation, Step } from './case-file.ts'
import type { Answer } from './send.ts'

/** Headers that were recorded. */
const KEPT = [
  'content-type',
  'content-length',
  'cache-control',
  'etag',
  'last-modified',
  'expires',
  'accept-ranges',
  'content-range',
  'content-disposition',
  'content-encoding',
  'location',
  'x-robots-tag',
  'x-transformations',
  'allow',
  'vary',
  'www-authenticate',
  'retry-after',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'x-content-type-options',
]

const PRINTABLE = /^[\t\n\r\x20-\x7e]*$/

/** What of an answer can be compared with a recorded one. */
export function digest(step: Step, { status, headers, body }: Answer, path: string): Expectation {
  const reads = (step.method === 'GET' || step.method === 'HEAD') && path.startsWith('/object/') && status < 400
  // the bytes of an object are never taken as JSON, whatever their type; its description is
  const isJson = /\bjson\b/.test(headers['content-type'] ?? '') && (!reads || path.startsWith('/object/info/'))
  const kept: Record<string, string> = {}
  for (const name of KEPT) {
    const value = headers[name]
    // the length of JSON varies with ids and tokens
    if (value !== undefined && !(name === 'content-length' && isJson)) kept[name] = String(value)
  }
  if (step.keep === 'status') return { status }
  if (step.keep === 'headers') return { status, headers: kept }
  return {
    status,
    headers: kept,
    ...contentOf(step, body, isJson),
    ...(step.claims ? { claims: claimsIn(pick({ headers, body }, step.claims)) } : {}),
  }
}

function contentOf(step: Step, body: Buffer, isJson: boolean): Expectation {
  const json = isJson ? parse(body) : undefined
  if (json !== undefined) {
    const viewed = step.view === 'names' ? namesIn(json) : json
    return { body: step.unordered && Array.isArray(viewed) ? inOrder(viewed) : viewed }
  }
  if (body.length === 0) return {}
  const text = body.toString()
  if (body.length <= 300 && PRINTABLE.test(text)) return { text }
  return { bytes: { length: body.length, sha256: createHash('sha256').update(body).digest('hex') } }
}

const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** The value at `body.a.0.b` or `headers.x` of an answer, as text. */
export function pick({ headers, body }: Pick<Answer, 'headers' | 'body'>, path: string): string | undefined {
  let value: unknown = { headers, body: parse(body) ?? body.toString() }
  for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key]
  return value === undefined ? undefined : String(value)
}

type Row = { readonly name: string; readonly id: string | null }

const nameOf = ({ name, id }: Row): string => (id === null && !name.endsWith('/') ? `${name}/` : name)

/** A listing by its names alone; a folder is a name with a slash behind. */
function namesIn(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(nameOf)
  const page = body as { objects?: Row[]; folders: Row[]; nextCursor?: unknown }
  if (!page.objects) return body
  const { objects, folders, nextCursor, ...rest } = page
  return { ...rest, ...(nextCursor ? { nextCursor } : {}), folders: folders.map(nameOf), objects: objects.map(nameOf) }
}

function inOrder(rows: readonly unknown[]): readonly unknown[] {
  const key = (row: unknown) => {
    const { name, path, id } = row as { name?: unknown; path?: unknown; id?: unknown }
    return String(name ?? path ?? id)
  }
  return [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Head and payload of the token in a text, its life to the nearest five seconds. */
function claimsIn(text: string | undefined): unknown {
  const [head, payload] = (/eyJ[\w-]+\.[\w-]+/.exec(text ?? '')?.[0] ?? '.')
    .split('.')
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString() || 'null'))
  return { head, payload: payload && { ...payload, iat: 'now', exp: `iat + ${Math.round((payload.exp - payload.iat) / 5) * 5}` } }
}
