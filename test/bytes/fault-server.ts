import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { S3Place } from '../../src/bytes/s3/s3-calls.ts'

export type Asked = {
  readonly method: string
  /** decoded, without the bucket */
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** what it is, in S3's own words */
  readonly operation: string
}

export type Answer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Buffer }
  /** nothing, for ever */
  | 'hang'
  /** the connection ends before an answer */
  | 'cut'
  | ((response: ServerResponse) => void)

export type FaultServer = {
  readonly place: S3Place
  /** what was asked, in order, without the tidying up of unfinished uploads before a removal */
  readonly asked: readonly Asked[]
  readonly operations: () => readonly string[]
  readonly close: () => Promise<void>
}

/** A store that answers as a test says: what a healthy one never does. `nth` counts the calls of one operation, from 1. */
export async function startFaultServer(answer: (asked: Asked, nth: number) => Answer): Promise<FaultServer> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x')
    const body = await buffer(request)
    const [, , ...rest] = decodeURIComponent(url.pathname).split('/')
    const key = rest.join('/')
    const method = request.method ?? ''
    const operation = operationOf(method, key, url.searchParams, request.headers)
    const one: Asked = { method, key, query: url.searchParams, headers: request.headers, body, operation }
    asked.push(one)
    const given = answer(one, asked.filter((other) => other.operation === operation).length)
    if (given === 'hang') return
    if (given === 'cut') request.socket.destroy()
    else if (typeof given === 'function') given(response)
    else response.writeHead(given.status, { 'content-type': 'application/xml', ...given.headers }).end(given.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    place: {
      bucket: 'faulty',
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      pathStyle: true,
      prefix: '',
      credentials: { accessKeyId: 'only-for-tests', secretAccessKey: 'only-for-tests' },
    },
    asked,
    operations: () => asked.map(({ operation }) => operation),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function operationOf(method: string, key: string, query: URLSearchParams, headers: IncomingHttpHeaders): string {
  if (key === '') return query.has('uploads') ? 'ListMultipartUploads' : query.has('delete') ? 'DeleteObjects' : 'ListObjectsV2'
  const copies = 'x-amz-copy-source' in headers
  if (query.has('uploads')) return 'CreateMultipartUpload'
  if (query.has('uploadId')) {
    if (method === 'DELETE') return 'AbortMultipartUpload'
    if (method === 'POST') return 'CompleteMultipartUpload'
    return copies ? 'UploadPartCopy' : 'UploadPart'
  }
  return { GET: 'GetObject', HEAD: 'HeadObject', DELETE: 'DeleteObject', PUT: copies ? 'CopyObject' : 'PutObject' }[method] ?? method
}

export const failure = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers,
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>as the test says</Message></Error>`,
})
