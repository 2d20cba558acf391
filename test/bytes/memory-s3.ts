import { createHash } from 'node:crypto'
import { type Answer, type Asked, failure, startFaultServer } from './fault-server.ts'

/** A store of S3's in memory, as far as the service asks it for anything, that can be told to fail. */
export type MemoryS3 = {
  readonly endpoint: string
  readonly bucket: string
  readonly has: (key: string) => boolean
  readonly count: () => number
  /** as if it had been stored */
  readonly add: (key: string, content: Buffer) => void
  /** keys that were removed, or asked to be, each as often as that happened */
  readonly removals: readonly string[]
  /** what is answered instead, by operation; null: what a healthy store answers */
  readonly fail: (how: (operation: string) => Answer | null) => void
  /** how often this was asked, whatever was answered */
  readonly tries: (operation: string) => number
  readonly close: () => Promise<void>
}

type Stored = { readonly content: Buffer; readonly headers: Readonly<Record<string, string>> }

const xml = (inner: string): Answer => ({ status: 200, body: `<?xml version="1.0" encoding="UTF-8"?>${inner}` })
const etagOf = (content: Buffer): string => `"${createHash('md5').update(content).digest('hex')}"`

export async function startMemoryS3(): Promise<MemoryS3> {
  const objects = new Map<string, Stored>()
  const removals: string[] = []
  const tries = new Map<string, number>()
  let failing: (operation: string) => Answer | null = () => null

  const answers: Readonly<Record<string, (asked: Asked) => Answer>> = {
    PutObject: ({ key, body, headers }) => {
      if (headers['if-none-match'] === '*' && objects.has(key)) return failure(412, 'PreconditionFailed')
      const own = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-') || name === 'content-type')
      objects.set(key, { content: body, headers: Object.fromEntries(own) as Record<string, string> })
      return { status: 200, headers: { etag: etagOf(body) } }
    },
    GetObject: ({ key, headers }) => {
      const found = objects.get(key)
      if (!found) return failure(404, 'NoSuchKey')
      const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
      const whole = { etag: etagOf(found.content), 'content-length': String(found.content.length), ...found.headers }
      if (first === undefined) return { status: 200, headers: whole, body: found.content }
      const body = found.content.subarray(Number(first), last ? Number(last) + 1 : undefined)
      const range = `bytes ${first}-${Number(first) + body.length - 1}/${found.content.length}`
      return { status: 206, headers: { ...whole, 'content-length': String(body.length), 'content-range': range }, body }
    },
    HeadObject: ({ key }) => {
      const found = objects.get(key)
      return found ? { status: 200, headers: { 'content-length': String(found.content.length), ...found.headers } } : { status: 404 }
    },
    DeleteObject: ({ key }) => {
      removals.push(key)
      objects.delete(key)
      return { status: 204 }
    },
    DeleteObjects: ({ body }) => {
      for (const [, key = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) {
        removals.push(key)
        objects.delete(key)
      }
      return xml('<DeleteResult></DeleteResult>')
    },
    ListObjectsV2: ({ query }) => {
      const from = query.get('continuation-token') ?? query.get('start-after') ?? ''
      const keys = [...objects.keys()].filter((key) => key > from && key.startsWith(query.get('prefix') ?? '')).sort()
      const page = keys.slice(0, Number(query.get('max-keys') ?? 1_000))
      const more = page.length < keys.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
      return xml(
        `<ListBucketResult><IsTruncated>${more !== ''}</IsTruncated>${more}${page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`,
      )
    },
    ListMultipartUploads: () => xml('<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>'),
  }

  const server = await startFaultServer((asked, nth) => {
    tries.set(asked.operation, nth)
    return failing(asked.operation) ?? answers[asked.operation]?.(asked) ?? failure(501, 'NotImplemented')
  })
  const { bucket, endpoint } = server.place
  if (endpoint === null) throw new Error('the server has an address')
  return {
    endpoint,
    bucket,
    has: (key) => objects.has(key),
    count: () => objects.size,
    add: (key, content) => objects.set(key, { content, headers: {} }),
    removals,
    fail: (how) => {
      failing = how
    },
    tries: (operation) => tries.get(operation) ?? 0,
    close: server.close,
  }
}
