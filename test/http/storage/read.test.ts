import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { VersionId } from '../../../src/bytes/byte-store.ts'
import { ANON_KEY, SERVICE_KEY, type StorageService, startStorageService, token } from './storage-service.ts'

let service: StorageService
const auth = { authorization: `Bearer ${SERVICE_KEY}` }

beforeAll(async () => {
  service = await startStorageService('reads')
  for (const [name, isPublic] of [
    ['open', true],
    ['shut', false],
  ]) {
    await fetch(`${service.url}/bucket`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/json' },
      body: JSON.stringify({ name, public: isPublic }),
    })
  }
})
afterAll(() => service.close())

const put = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/object/${path}`, { method: 'PUT', headers: { ...auth, 'content-type': 'text/plain', ...headers }, body })

const read = (path: string, init: RequestInit = {}) => fetch(`${service.url}${path}`, init)

const errorOf = async (answer: Response): Promise<unknown> => ({ http: answer.status, ...((await answer.json()) as object) })

async function sql(text: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]> {
  const client = await service.database.connect()
  return (await client.query(text, [...values])).rows
}

describe('HEAD', () => {
  it.each([
    '/object/public/open/h',
    '/object/authenticated/open/h',
    '/object/open/h',
    '/object/info/open/h',
    '/object/info/public/open/h',
    '/object/info/authenticated/open/h',
    '/bucket/open',
    '/bucket',
    '/status',
    '/version',
    '/health',
  ])('says of %s what GET says', async (path) => {
    await put('open/h', 'twelve bytes', { 'cache-control': 'max-age=60', 'x-robots-tag': 'noindex' })
    const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => read(path, { method, headers: auth })))
    const of = (answer: Response | undefined) =>
      Object.fromEntries(
        [...(answer?.headers ?? [])].filter(([name]) => !['date', 'x-request-id', 'connection', 'keep-alive'].includes(name)),
      )
    expect(of(head)).toEqual(of(get))
    expect([head?.status, await head?.text()]).toEqual([get?.status, ''])
  })
  it.each<[Record<string, string>, number]>([
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 304],
    [{ range: 'bytes=0-1' }, 200],
  ])('answers %j with %d', async (headers, status) => {
    await put('open/h', 'twelve bytes')
    expect((await read('/object/public/open/h', { method: 'HEAD', headers })).status).toBe(status)
  })
})

describe('ranges', () => {
  it('are refused with the length there is', async () => {
    await put('open/r', '0123456789')
    const answer = await read('/object/public/open/r', { headers: { range: 'bytes=10-' } })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(await answer.json()).toEqual({
      statusCode: '416',
      error: 'invalid_range',
      message: 'invalid range provided',
      code: 'InvalidRange',
    })
  })
  it('are of the version that If-Range names, or the new one is sent whole', async () => {
    await put('open/v', 'old old old')
    const etag = (await read('/object/public/open/v')).headers.get('etag') ?? ''
    const part = () => read('/object/public/open/v', { headers: { range: 'bytes=0-2', 'if-range': etag } })
    expect([(await part()).status, await (await part()).text()]).toEqual([206, 'old'])
    await put('open/v', 'new new new')
    expect([(await part()).status, await (await part()).text()]).toEqual([200, 'new new new'])
  })
})

describe('serving', () => {
  it.each([
    'image/svg+xml',
    'text/html',
    'TEXT/HTML',
    'application/xhtml+xml',
    'text/xml',
    'application/pdf',
    'text/javascript',
    'text/css',
    'multipart/x-mixed-replace',
    'x/unheard-of',
  ])('%s runs nothing on our origin', async (type) => {
    await put('open/active', '<svg/>', { 'content-type': type })
    for (const path of ['/object/public/open/active', '/object/authenticated/open/active']) {
      const { headers } = await read(path, { headers: auth })
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
      expect(headers.get('content-type')).not.toMatch(/html$/i)
    }
  })
  it('leaves pictures alone, and lets other sites show what is public', async () => {
    await put('open/p.png', 'png', { 'content-type': 'image/png' })
    const { headers } = await read('/object/public/open/p.png')
    expect(headers.get('content-security-policy')).toBeNull()
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect((await read('/object/authenticated/open/p.png', { headers: auth })).headers.get('cross-origin-resource-policy')).toBe(
      'same-origin',
    )
  })
  it('is no source of service workers', async () => {
    await put('open/sw.js', 'self', { 'content-type': 'text/javascript' })
    const answer = await read('/object/public/open/sw.js', { headers: { 'service-worker': 'script' } })
    expect(await errorOf(answer)).toMatchObject({ http: 400, statusCode: '400' })
  })
  it('survives whatever SQL puts into a row', async () => {
    await put('open/odd', 'text')
    const odd = {
      mimetype: 'a/b\r\nx: y',
      cacheControl: 'é\0'.replace('\0', ''),
      eTag: 'naïve',
      xRobotsTag: '\n',
      lastModified: 'never',
      size: 4,
    }
    await sql(`update storage.objects set metadata = $1 where bucket_id = 'open' and name = 'odd'`, JSON.stringify(odd))
    const answer = await read('/object/public/open/odd')
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([200, 'text', 'application/octet-stream'])
    expect((await read('/object/info/public/open/odd')).status).toBe(200)
    await sql(`update storage.objects set metadata = $1 where bucket_id = 'open' and name = 'odd'`, JSON.stringify([1]))
    expect(await (await read('/object/public/open/odd')).text()).toBe('text')
  })
  it('serves no row that nobody says the length of', async () => {
    await put('open/odd', 'text')
    await sql(`update storage.objects set metadata = '{}', byte_length = null where bucket_id = 'open' and name = 'odd'`)
    expect(await errorOf(await read('/object/public/open/odd'))).toMatchObject({
      http: 400,
      statusCode: '404',
      message: 'The resource was not found',
    })
  })
  it('redeems no address but the one that was signed', async () => {
    await put('shut/a', 'a')
    await put('shut/b', 'b')
    const sign = await read('/object/sign/shut/a', {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/json' },
      body: '{"expiresIn":60,"url":"shut/b","scope":"upload"}',
    })
    const { signedURL } = (await sign.json()) as { signedURL: string }
    const query = signedURL.slice(signedURL.indexOf('?'))
    expect(await (await read(signedURL)).text()).toBe('a')
    expect(await errorOf(await read(`/object/sign/shut/b${query}`))).toMatchObject({ http: 400, code: 'InvalidSignature' })
    const bearer = query.replace('?token=', 'Bearer ')
    for (const path of ['/bucket', '/object/authenticated/shut/a', '/object/info/authenticated/shut/a']) {
      expect(await errorOf(await read(path, { headers: { authorization: bearer } }))).toMatchObject({ http: 400, statusCode: '403' })
    }
    const unending = token({ url: 'shut/a', scope: 'download', exp: undefined })
    expect((await read(`/object/sign/shut/a?token=${unending}`)).status).toBe(400)
  })
})

describe('bytes that are not there', () => {
  it('are told as missing, and sound an alarm', async () => {
    await put('open/lost', 'bytes')
    const [row] = await sql(`select version from storage.objects where bucket_id = 'open' and name = 'lost'`)
    await service.bytes.delete([row?.version as VersionId])
    for (const path of ['/object/public/open/lost', '/object/authenticated/open/lost', '/object/open/lost']) {
      expect(await errorOf(await read(path, { headers: auth }))).toMatchObject({
        http: 400,
        statusCode: '404',
        message: 'The resource was not found',
      })
    }
    expect(service.observed).toContainEqual({ kind: 'bytes missing', bucket: 'open', version: row?.version })
    const copy = { bucketId: 'open', sourceKey: 'lost', destinationKey: 'found' }
    const copied = await read('/object/copy', {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/json' },
      body: JSON.stringify(copy),
    })
    expect(await errorOf(copied)).toMatchObject({ http: 400, statusCode: '404' })
  })
  it('are never replaced by fewer', async () => {
    await put('open/short', 'four')
    await sql(`update storage.objects set byte_length = 400 where bucket_id = 'open' and name = 'short'`)
    expect((await read('/object/public/open/short')).status).toBe(500)
  })
})

/** As many and as long as is promised, or fewer and shorter for every day: FULL_SIZE=1 */
const RUSH = process.env.FULL_SIZE === '1' ? { writers: 20, readers: 8, ms: 10_000 } : { writers: 6, readers: 8, ms: 2_000 }

it(`gives each of ${RUSH.readers} readers one whole version while ${RUSH.writers} overwrite the object`, async () => {
  const size = 300_000
  const version = (n: number) => Buffer.alloc(size, n)
  await put('open/busy', version(0))
  const until = Date.now() + RUSH.ms
  const failures: string[] = []
  const writers = Array.from({ length: RUSH.writers }, async (_, i) => {
    let writes = 0
    for (let n = i; Date.now() < until; n = (n + RUSH.writers) % 256) {
      const { status } = await put('open/busy', version(n))
      if (status !== 200) failures.push(`write: ${status}`)
      writes++
    }
    return writes
  })
  const readers = Array.from({ length: RUSH.readers }, async () => {
    let reads = 0
    while (Date.now() < until) {
      const answer = await read('/object/public/open/busy')
      const body = Buffer.from(await answer.arrayBuffer())
      const etag = `"${createHash('md5').update(body).digest('hex')}"`
      if (answer.status !== 200) failures.push(`read: ${answer.status}`)
      else if (body.length !== size || !body.equals(version(body[0] ?? -1))) failures.push('torn')
      else if (answer.headers.get('etag') !== etag) failures.push('another ETag')
      reads++
    }
    return reads
  })
  const counts = await Promise.all([...writers, ...readers])
  expect(failures).toEqual([])
  expect(counts.every((count) => count > 0)).toBe(true)
  const written = counts.slice(0, RUSH.writers).reduce((sum, count) => sum + count, 0)
  const readAll = counts.slice(RUSH.writers).reduce((sum, count) => sum + count, 0)
  if (process.env.FULL_SIZE === '1') console.log(`${written} writes, ${readAll} reads in ${RUSH.ms} ms`)
}, 40_000)

it('looks again when the bytes went between row and open', async () => {
  await put('open/swept', 'old')
  const [row] = await sql(`select version from storage.objects where bucket_id = 'open' and name = 'swept'`)
  const { storage } = service.deps
  const get = storage.bytes.get
  let swept = false
  Object.assign(storage.bytes, {
    get: async (...args: Parameters<typeof get>) => {
      if (args[0] === row?.version && !swept) {
        swept = true
        await put('open/swept', 'new')
        await storage.bytes.delete([row.version as VersionId])
      }
      return get(...args)
    },
  })
  const answer = await read('/object/public/open/swept')
  Object.assign(storage.bytes, { get })
  expect([answer.status, await answer.text()]).toEqual([200, 'new'])
})

it.skipIf(!existsSync('/proc/self/fd'))('closes the file when a reader leaves half-way', async () => {
  const openFiles = () =>
    readdirSync('/proc/self/fd')
      .flatMap((fd) => linkOf(`/proc/self/fd/${fd}`))
      .filter((path) => path.includes('stowage-test-'))
  await put('open/large', Buffer.alloc(20_000_000))
  for (let i = 0; i < 10; i++) {
    const leaving = new AbortController()
    const answer = await read('/object/public/open/large', { signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
  }
  await expect.poll(openFiles).toEqual([])
})

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)]
  } catch {
    return []
  }
}

it('answers below /storage/v1 as at the root, with addresses that clients append to theirs', async () => {
  await put('shut/m', 'mounted')
  const base = '/storage/v1'
  expect(await (await read(`${base}/object/shut/m`, { headers: auth })).text()).toBe('mounted')
  const sign = await read(`${base}/object/sign/shut/m`, {
    method: 'POST',
    headers: { ...auth, 'content-type': 'application/json' },
    body: '{"expiresIn":60}',
  })
  const { signedURL } = (await sign.json()) as { signedURL: string }
  expect(signedURL).toMatch(/^\/object\/sign\/shut\/m\?token=/)
  expect(await (await read(base + signedURL)).text()).toBe('mounted')
  expect(await errorOf(await read(`${base}/object/move`))).toMatchObject({ http: 404, message: 'Route GET:/object/move not found' })
})

it('takes the token from the query where there is no header', async () => {
  const answer = await read(`/bucket/shut?authorization=${encodeURIComponent(`Bearer ${SERVICE_KEY}`)}`)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
  const both = await read(`/bucket/shut?authorization=${SERVICE_KEY}`, { headers: { authorization: `Bearer ${ANON_KEY}` } })
  expect(await errorOf(both)).toMatchObject({ statusCode: '404' })
})

describe('large objects', () => {
  const MIB = 2 ** 20
  const contents = Array.from({ length: 12 }, (_, i) => Buffer.alloc(3 * MIB + i, createHash('sha256').update(String(i)).digest()))

  it('read by many at once, fast, slowly and not to the end, never hold another one’s bytes', async () => {
    for (const [i, content] of contents.entries()) expect((await put(`open/large-${i}`, content)).status).toBe(200)
    const readOne = async (i: number, manner: number): Promise<void> => {
      const answer = await read(`/object/public/open/large-${i}`)
      const reader = answer.body?.getReader()
      const chunks: Uint8Array[] = []
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) break
        chunks.push(Uint8Array.from(value ?? []))
        if (manner === 1) return reader?.cancel()
        if (manner === 2 && chunks.length % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      }
      expect(Buffer.concat(chunks).equals(contents[i] ?? Buffer.alloc(0)), `large-${i}`).toBe(true)
    }
    await Promise.all(Array.from({ length: 72 }, (_, n) => readOne(n % contents.length, n % 3)))
  })

  it('are read in part', async () => {
    const answer = await read('/object/public/open/large-3', { headers: { range: `bytes=100-${2 * MIB}` } })
    expect(answer.status).toBe(206)
    expect(Buffer.from(await answer.arrayBuffer()).equals(contents[3]?.subarray(100, 2 * MIB + 1) ?? Buffer.alloc(0))).toBe(true)
  })
})
