import type { Payload } from './raw.ts'

export type Part = {
  /** null: no Content-Disposition at all */
  readonly name?: string | null
  readonly filename?: string
  readonly type?: string
  readonly headers?: readonly string[]
  readonly body?: Payload
}

export const BOUNDARY = 'boundary-of-the-tests'

/** A multipart body (RFC 7578) that may be wrong in any way that its parts are. */
export function form(
  parts: readonly Part[],
  { boundary = BOUNDARY, end = `--${boundary}--\r\n` }: { boundary?: string; end?: string } = {},
): Buffer {
  const pieces = parts.flatMap(({ name, filename, type, headers = [], body = '' }) => {
    const names = `${name === undefined ? '' : `; name="${name}"`}${filename === undefined ? '' : `; filename="${filename}"`}`
    const lines = [
      ...(name === null ? [] : [`Content-Disposition: form-data${names}`]),
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
      ...headers,
    ]
    return [
      Buffer.from(`--${boundary}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`),
      Buffer.from(body as string),
      Buffer.from('\r\n'),
    ]
  })
  return Buffer.concat([...pieces, Buffer.from(end)])
}

export const formType = (boundary = BOUNDARY) => ['Content-Type', `multipart/form-data; boundary=${boundary}`] as const
