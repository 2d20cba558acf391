import { createHash, randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type ByteStore, NoSuchBytes, StoreUnavailable, VersionExists, type VersionId } from '../../src/bytes/byte-store.ts'
import { createS3ByteStore } from '../../src/bytes/s3/s3.ts'
import { bytes, milliseconds } from '../../src/std/brand.ts'
import { bodyOf, never, newVersion, read } from './byte-store.contract.ts'
import { type Answer, type Asked, type FaultServer, failure, startFaultServer } from './fault-server.ts'

const PART = 1_000
/** for tests of the limit itself */
const SHORT = milliseconds(1_000)
/** for all others: a machine that is busy must not look like a store that hangs */
const LONG = milliseconds(20_000)
const IN_TIME_MS = LONG / 2

let server: FaultServer
let store: ByteStore
afterEach(async () => {
  await store.close()
  await server.close()
})

/** A store whose server answers as told, and otherwise as a healthy one would to one body in flight. */
async function faulty(script: Readonly<Record<string, (asked: Asked, nth: number) => Answer>>, callMs = LONG): Promise<void> {
  server = await startFaultServer((asked, nth) => (script[asked.operation] ?? HEALTHY[asked.operation])?.(asked, nth) ?? failure(501, 'X'))
  store = createS3ByteStore({
    place: server.place,
    limits: { callMs, objectMs: callMs },
    partBytes: bytes(PART),
    wholeCopyBytes: 5_000,
    copyPartBytes: 2_000,
  }).store
}

/** In chunks of 500 bytes. */
const put = (to: ByteStore, version: VersionId, content: Buffer, maxBytes = 1e6) =>
  to.put(version, bodyOf(content, 500), { maxBytes: bytes(maxBytes), signal: never })
const md5 = (content: Buffer) => createHash('md5').update(content).digest('hex')
const stored = (content: Buffer): Answer => ({ status: 200, headers: { etag: `"${md5(content)}"` } })
const sized = (size: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  headers: { 'content-length': String(size), ...headers },
})
const xml = (inner: string): Answer => ({ status: 200, body: `<?xml version="1.0" encoding="UTF-8"?>${inner}` })
const COMPLETED = xml('<CompleteMultipartUploadResult><ETag>"x-2"</ETag></CompleteMultipartUploadResult>')

const HEALTHY: Readonly<Record<string, (asked: Asked) => Answer>> = {
  PutObject: ({ body }) => stored(body),
  UploadPart: ({ body }) => stored(body),
  CreateMultipartUpload: () => xml('<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>'),
  CompleteMultipartUpload: () => COMPLETED,
  AbortMultipartUpload: () => ({ status: 204 }),
  DeleteObject: () => ({ status: 204 }),
  HeadObject: () => ({ status: 404 }),
  ListMultipartUploads: () => xml('<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>'),
}

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const began = performance.now()
  try {
    return await work
  } finally {
    expect(performance.now() - began).toBeLessThan(ms)
  }
}

describe('a body in one call', () => {
  const content = randomBytes(500)

  test('is sent again when the store is busy, from memory', async () => {
    await faulty({ PutObject: ({ body }, nth) => (nth < 3 ? failure(503, 'SlowDown') : stored(body)) })
    expect((await put(store, newVersion(), content)).md5).toBe(md5(content))
    const tries = server.asked.filter(({ operation }) => operation === 'PutObject')
    expect(tries.map(({ body }) => body.equals(content))).toEqual([true, true, true])
    expect(tries[0]?.headers).toMatchObject({
      'if-none-match': '*',
      'content-md5': createHash('md5').update(content).digest('base64'),
      'x-amz-meta-stowage-sha256': createHash('sha256').update(content).digest('hex'),
    })
  })

  test('fails in the words of the port when the store stays busy', async () => {
    await faulty({ PutObject: () => failure(503, 'SlowDown') })
    const failed = await put(store, newVersion(), content).catch((error) => error)
    expect(failed).toBeInstanceOf(StoreUnavailable)
    expect(failed.message).toContain('SlowDown')
    expect(server.operations()).toEqual(['PutObject', 'PutObject', 'PutObject', 'DeleteObject'])
  })

  test('hands on for how long the store asks to be left alone, and does not wait itself', async () => {
    await faulty({ PutObject: () => failure(503, 'SlowDown', { 'retry-after': '7' }) })
    const failed = await put(store, newVersion(), content).catch((error) => error)
    expect(failed).toMatchObject({ reason: 'busy', retryAfterSeconds: 7 })
    expect(server.operations()).toEqual(['PutObject', 'DeleteObject'])
  })

  test.each<[string, Answer]>([
    ['that hangs', 'hang'],
    ['that cuts the connection', 'cut'],
    ['that fails', failure(500, 'InternalError')],
    ['behind a proxy that fails', { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad Gateway</html>' }],
  ])('a store %s is unavailable, in time', async (_, answer) => {
    await faulty({ PutObject: () => answer }, SHORT)
    await within(IN_TIME_MS, expect(put(store, newVersion(), content)).rejects.toThrow(StoreUnavailable))
    expect(server.operations().at(-1)).toBe('DeleteObject')
  })

  test('a store that has other bytes than were sent is not believed', async () => {
    await faulty({ PutObject: () => stored(randomBytes(3)) })
    await expect(put(store, newVersion(), content)).rejects.toThrow(/other bytes than were sent/)
    expect(server.operations()).toEqual(['PutObject', 'DeleteObject'])
  })

  test('a tag that is no MD5, since the store encrypts, is not compared', async () => {
    await faulty({
      PutObject: () => ({ status: 200, headers: { etag: `"${md5(Buffer.from('x'))}"`, 'x-amz-server-side-encryption': 'aws:kms' } }),
    })
    expect((await put(store, newVersion(), content)).size).toBe(500)
  })

  test('an answer that was lost is found out: the second try meets the first', async () => {
    const sha256 = createHash('sha256').update(content).digest('hex')
    await faulty({
      PutObject: (_, nth) => (nth === 1 ? 'cut' : failure(412, 'PreconditionFailed')),
      HeadObject: () => sized(500, { 'x-amz-meta-stowage-sha256': sha256 }),
    })
    expect((await put(store, newVersion(), content)).sha256).toBe(sha256)
    expect(server.operations()).not.toContain('DeleteObject')
  })

  test("somebody else's bytes are never taken for ours, and never removed", async () => {
    await faulty({
      PutObject: (_, nth) => (nth === 1 ? 'cut' : failure(412, 'PreconditionFailed')),
      HeadObject: () => sized(500, { 'x-amz-meta-stowage-sha256': 'f'.repeat(64) }),
    })
    await expect(put(store, newVersion(), content)).rejects.toThrow(VersionExists)
    await expect(put(store, newVersion(), content)).rejects.toThrow(VersionExists)
    expect(server.operations()).not.toContain('DeleteObject')
  })

  test('a refusal is not tried again, and names its reason', async () => {
    await faulty({ PutObject: () => failure(403, 'AccessDenied') })
    const failed = await put(store, newVersion(), content).catch((error) => error)
    expect(failed).not.toBeInstanceOf(StoreUnavailable)
    expect(failed.message).toContain('AccessDenied')
    expect(server.operations().filter((operation) => operation === 'PutObject')).toHaveLength(1)
  })
})

describe('a body in parts', () => {
  const content = randomBytes(3_500)

  test('is put together in order, one part larger than none', async () => {
    const sent = new Map<number, Buffer>()
    await faulty({
      UploadPart: ({ query, body }) => {
        sent.set(Number(query.get('partNumber')), body)
        return stored(body)
      },
      HeadObject: () => sized(3_500),
    })
    expect((await put(store, newVersion(), content)).md5).toBe(md5(content))
    expect(Buffer.concat([1, 2, 3, 4].map((number) => sent.get(number) ?? Buffer.alloc(0))).equals(content)).toBe(true)
    expect(server.asked.find(({ operation }) => operation === 'CompleteMultipartUpload')?.headers).toMatchObject({ 'if-none-match': '*' })
  })

  test('that fails in one part ends at once, though its sender stalls, and is undone', async () => {
    await faulty({ UploadPart: ({ query, body }) => (query.get('partNumber') === '2' ? failure(500, 'InternalError') : stored(body)) })
    const body = new PassThrough()
    body.write(content.subarray(0, 2_500))
    const putting = store.put(newVersion(), body, { maxBytes: bytes(1e6), signal: never })
    await expect(putting).rejects.toThrow(StoreUnavailable)
    expect(body.destroyed).toBe(false)
    expect(server.operations().slice(-2)).toEqual(['AbortMultipartUpload', 'DeleteObject'])
    expect(server.operations()).not.toContain('CompleteMultipartUpload')
  })

  test('whose sender leaves is undone when no part is on its way any more', async () => {
    const order: string[] = []
    await faulty({
      UploadPart:
        ({ body }) =>
        (response) => {
          setTimeout(() => {
            order.push('part answered')
            response.writeHead(200, { etag: `"${md5(body)}"` }).end()
          }, 150)
        },
      AbortMultipartUpload: () => {
        order.push('undone')
        return { status: 204 }
      },
    })
    const leaving = new AbortController()
    const body = new PassThrough()
    body.write(content.subarray(0, 1_500))
    const putting = store.put(newVersion(), body, { maxBytes: bytes(1e6), signal: leaving.signal })
    putting.catch(() => undefined)
    await sleep(50)
    leaving.abort(new Error('gone'))
    await expect(putting).rejects.toThrow('gone')
    expect(order.at(-1) === 'undone' || order[0] === 'undone').toBe(true)
    expect(server.operations()).not.toContain('CompleteMultipartUpload')
  })

  test('that grows over its limit is undone', async () => {
    await faulty({})
    await expect(put(store, newVersion(), content, 3_499)).rejects.toThrow('more than 3499 bytes')
    expect(server.operations().slice(-2)).toEqual(['AbortMultipartUpload', 'DeleteObject'])
  })

  test('is not there when the store says 200 and means an error', async () => {
    await faulty({ CompleteMultipartUpload: () => xml('<Error><Code>InternalError</Code><Message>after all</Message></Error>') })
    await expect(put(store, newVersion(), content)).rejects.toThrow(StoreUnavailable)
    expect(server.operations().slice(-2)).toEqual(['AbortMultipartUpload', 'DeleteObject'])
  })

  test('is there when the answer was lost and the upload is gone', async () => {
    await faulty({
      CompleteMultipartUpload: (_, nth) => (nth === 1 ? 'cut' : failure(404, 'NoSuchUpload')),
      HeadObject: () => sized(3_500),
    })
    expect((await put(store, newVersion(), content)).size).toBe(3_500)
  })

  test('that the store lost a piece of is not there', async () => {
    await faulty({ HeadObject: () => sized(2_500) })
    await expect(put(store, newVersion(), content)).rejects.toThrow('2500 bytes where 3500')
    expect(server.operations().slice(-1)).toEqual(['DeleteObject'])
  })

  test('a part that arrived damaged is not taken', async () => {
    await faulty({ UploadPart: () => stored(randomBytes(1)) })
    await expect(put(store, newVersion(), content)).rejects.toThrow(/other bytes than were sent/)
  })
})

describe('reading', () => {
  const content = randomBytes(100_000)
  const partial =
    (sent: number, end: (response: Parameters<Extract<Answer, (...args: never[]) => void>>[0]) => void): Answer =>
    (response) => {
      response.writeHead(200, { 'content-length': String(content.length) })
      response.write(content.subarray(0, sent))
      end(response)
    }

  test('a body that is cut off ends as an error', async () => {
    await faulty({ GetObject: () => partial(40_000, (response) => setTimeout(() => response.destroy(), 30)) })
    await expect(read(store, newVersion())).rejects.toThrow(/connection to the store broke/)
  })

  test('a body that stops coming ends as an error, in time', async () => {
    await faulty({ GetObject: () => partial(40_000, () => undefined) }, SHORT)
    await within(IN_TIME_MS, expect(read(store, newVersion())).rejects.toThrow('no byte came from the store within 1 s'))
  })

  test('a receiver who takes his time is not cut off', async () => {
    await faulty({ GetObject: () => partial(content.length, (response) => response.end()) }, SHORT)
    const body = await store.get(newVersion(), { range: null, signal: never })
    const got: Buffer[] = []
    await sleep(SHORT * 1.3)
    for await (const chunk of body) {
      if (got.length === 0) await sleep(SHORT * 1.3)
      got.push(chunk as Buffer)
    }
    expect(Buffer.concat(got).equals(content)).toBe(true)
  })

  test('an object that is shorter than asked for is told before the first byte', async () => {
    await faulty({ GetObject: () => ({ status: 206, headers: { 'content-range': 'bytes 0-9/10' }, body: Buffer.alloc(10) }) })
    const range = { first: bytes(0), last: bytes(99) }
    await expect(store.get(newVersion(), { range, signal: never })).rejects.toThrow('shorter')
  })

  test('a missing object is missing; a missing bucket is not a missing object', async () => {
    await faulty({ GetObject: (_, nth) => (nth === 1 ? failure(404, 'NoSuchKey') : failure(404, 'NoSuchBucket')) })
    await expect(read(store, newVersion())).rejects.toThrow(NoSuchBytes)
    const failed = await read(store, newVersion()).catch((error) => error)
    expect(failed).not.toBeInstanceOf(NoSuchBytes)
    expect(failed.message).toContain('NoSuchBucket')
  })

  test('a store that hangs is unavailable, in time', async () => {
    await faulty({ GetObject: () => 'hang' }, SHORT)
    await within(IN_TIME_MS, expect(read(store, newVersion())).rejects.toThrow(StoreUnavailable))
  })
})

describe('removing, listing, copying', () => {
  test('what the store would not remove is named; what was gone is no error', async () => {
    await faulty({
      DeleteObjects: () =>
        xml(
          '<DeleteResult><Error><Key>a</Key><Code>NoSuchKey</Code></Error><Error><Key>b</Key><Code>AccessDenied</Code><Message>locked</Message></Error></DeleteResult>',
        ),
    })
    await expect(store.delete([newVersion(), newVersion()])).rejects.toThrow('does not remove b: AccessDenied: locked')
  })

  test('a thousand at a time', async () => {
    await faulty({ DeleteObjects: () => xml('<DeleteResult></DeleteResult>') })
    await store.delete(Array.from({ length: 2_500 }, newVersion))
    const calls = server.asked.filter(({ operation }) => operation === 'DeleteObjects')
    expect(calls.map(({ body }) => body.toString().split('<Key>').length - 1)).toEqual([1_000, 1_000, 500])
  })

  test('a listing that is no listing is an error and not an empty store', async () => {
    await faulty({ ListObjectsV2: () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>please log in' }) })
    await expect(store.list(null, 10)).rejects.toThrow(StoreUnavailable)
  })

  test.each([
    ['whole', 4_000],
    ['in parts', 8_000],
  ])('a copy %s that the store calls done and is not, fails and leaves nothing', async (_, size) => {
    const error = xml('<Error><Code>InternalError</Code><Message>after all</Message></Error>')
    await faulty({ CopyObject: () => error, UploadPartCopy: () => error })
    const known = { size: bytes(size), md5: md5(Buffer.alloc(0)), sha256: '0'.repeat(64), crc32: 0 }
    await expect(store.copy(newVersion(), newVersion(), { known, signal: never })).rejects.toThrow(StoreUnavailable)
    expect(server.operations().at(-1)).toBe('DeleteObject')
  })

  test('a copy that has other bytes than its source fails and leaves nothing', async () => {
    await faulty({ CopyObject: () => xml(`<CopyObjectResult><ETag>"${md5(Buffer.from('x'))}"</ETag></CopyObjectResult>`) })
    const known = { size: bytes(4), md5: md5(Buffer.from('y')), sha256: '0'.repeat(64), crc32: 0 }
    await expect(store.copy(newVersion(), newVersion(), { known, signal: never })).rejects.toThrow(/other bytes/)
    expect(server.operations().at(-1)).toBe('DeleteObject')
  })
})

test('unfinished uploads come in order, also from a store that gives all of them at once, by time, whatever it was asked', async () => {
  const [a, b, c, d] = [newVersion(), newVersion(), newVersion(), newVersion()].sort() as [VersionId, VersionId, VersionId, VersionId]
  const keyOf = (version: VersionId) => `${version.slice(0, 2)}/${version.slice(2, 4)}/${version}`
  const upload = (version: VersionId) => `<Upload><Key>${keyOf(version)}</Key><UploadId>u</UploadId></Upload>`
  await faulty({
    ListMultipartUploads: () =>
      xml(`<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${[d, a, c].map(upload).join('')}</ListMultipartUploadsResult>`),
    ListObjectsV2: ({ query }) =>
      xml(
        `<ListBucketResult><IsTruncated>false</IsTruncated>${[b, d]
          .filter((version) => keyOf(version) > (query.get('start-after') ?? ''))
          .map((version) => `<Contents><Key>${keyOf(version)}</Key></Contents>`)
          .join('')}</ListBucketResult>`,
      ),
  })
  expect(await store.list(null, 10)).toEqual([a, b, c, d])
  expect(await store.list(a, 10)).toEqual([b, c, d])
  expect(await store.list(null, 2)).toEqual([a, b])
  expect(await store.list(c, 10)).toEqual([d])
})
