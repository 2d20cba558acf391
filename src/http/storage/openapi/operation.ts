import type { AnswerShape } from './answer-shapes.ts'

/** What the description of the API says of an endpoint, beside the schemas that its requests are checked against. */
export type Operation = {
  readonly id: string
  readonly summary: string
  /** more than the summary says, in sentences */
  readonly description?: string
  /** who may call: `token` wants one, `optional token` does without where the bucket is public, `none` looks at none */
  readonly credentials: 'token' | 'optional token' | 'none' | 'signed address'
  /** headers of the request by name: what each is for */
  readonly headers?: Readonly<Record<string, string>>
  /** a file is the body, raw or in a form */
  readonly takesFile?: boolean
  readonly answer: AnswerShape
}

declare module 'fastify' {
  interface FastifySchema {
    /** for the description of the API; an endpoint without it is not described */
    readonly operation?: Operation
  }
}

export const WRITE_HEADERS = {
  'x-upsert': '`true` replaces an object that is there already',
  'cache-control': 'Kept with the object and sent with it, as it is.',
  'x-metadata': 'User metadata: a JSON object in base64, of at most a mebibyte.',
  'x-robots-tag': 'Kept with the object and sent with it.',
  'content-md5': 'Base64 of the MD5 of the body (RFC 1864); what does not match is refused.',
  'if-match': 'Writes only over an object with one of these ETags.',
  'if-none-match': '`*` writes only where no object is.',
} as const

export const READ_HEADERS = {
  range: 'One range of bytes: `bytes=0-99`, `bytes=100-`, `bytes=-100`. Several ranges, and what is none, are passed over.',
  'if-range': 'The range counts only if the object still has this ETag, or exactly this date.',
  'if-none-match': '304 if the object has one of these ETags; `*`: if there is one.',
  'if-modified-since': '304 if it was not changed since; passed over beside If-None-Match.',
  'if-match': '412 unless the object has one of these ETags.',
  'if-unmodified-since': '412 if it was changed since; passed over beside If-Match.',
} as const
