import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLayeredByteStore } from '../../src/bytes/layered.ts'
import { createMemoryByteStore } from '../../src/bytes/memory.ts'
import { createS3ByteStore, type S3StoreOptions } from '../../src/bytes/s3/s3.ts'
import { bytes, milliseconds } from '../../src/std/brand.ts'
import { type S3Server, s3Program, startS3Server } from '../support/s3-server.ts'
import { bodyOf, describeByteStore, never, newVersion, put, read } from './byte-store.contract.ts'

const MIB = 2 ** 20
const program = await s3Program('the laws of a byte store on S3')
const LIMITS = { callMs: milliseconds(20_000), objectMs: milliseconds(60_000) }

describeByteStore('two stores as one', async () => createLayeredByteStore(createMemoryByteStore(), createMemoryByteStore()))

describe('two stores as one', () => {
  test('read behind what the front does not have, and write to the front alone', async () => {
    const [front, behind] = [createMemoryByteStore(), createMemoryByteStore()]
    const both = createLayeredByteStore(front, behind)
    const [old, copied, fresh] = [newVersion(), newVersion(), newVersion()]
    const content = randomBytes(100_000)
    await put(behind, old, content)
    const range = { first: bytes(5), last: bytes(9) }
    expect((await read(both, old, range)).equals(content.subarray(5, 10))).toBe(true)
    await both.copy(old, copied, { known: null, signal: never })
    await put(both, fresh, content)
    expect(await front.list(null, 9)).toEqual([copied, fresh].sort())
    expect(await both.list(null, 9)).toEqual([old, copied, fresh].sort())
    await both.delete([old, fresh])
    expect([await front.list(null, 9), await behind.list(null, 9)]).toEqual([[copied], []])
  })
})

describe.skipIf(program === null)('on a real server', () => {
  let server: S3Server
  let made = 0
  beforeAll(async () => {
    server = await startS3Server(program ?? '')
  })
  afterAll(() => server.stop())

  const open = async (options: Partial<S3StoreOptions> = {}) => {
    const place = await server.place(`bucket-${++made}`)
    const client = new S3Client({ endpoint: place.endpoint, region: 'us-east-1', forcePathStyle: true, credentials: place.credentials })
    return { ...createS3ByteStore({ place, limits: LIMITS, ...options }), client, bucket: place.bucket, place }
  }

  describeByteStore('s3', async () => (await open()).store)

  describe('s3: large bodies', () => {
    const PARTS = { partBytes: bytes(5 * MIB), wholeCopyBytes: 6 * MIB, copyPartBytes: 5 * MIB }
    const large = (store: Awaited<ReturnType<typeof open>>['store'], version: ReturnType<typeof newVersion>, content: Buffer) =>
      store.put(version, bodyOf(content), { maxBytes: bytes(1e9), signal: never })

    test('go in parts, and come back and are copied whole', async () => {
      const { store } = await open(PARTS)
      for (const size of [5 * MIB, 5 * MIB + 1, 10 * MIB, 17 * MIB]) {
        const content = randomBytes(size)
        const [version, copy] = [newVersion(), newVersion()]
        const known = await large(store, version, content)
        expect(known.size).toBe(size)
        expect((await read(store, version)).equals(content)).toBe(true)
        expect(await store.copy(version, copy, { known, signal: never })).toEqual(known)
        expect((await read(store, copy)).equals(content)).toBe(true)
      }
    })

    test('that break off leave neither bytes nor parts', async () => {
      const { store, client, bucket } = await open(PARTS)
      for (const why of ['broken', 'aborted', 'too large']) {
        const version = newVersion()
        const body = new PassThrough()
        const leaving = new AbortController()
        const putting = store.put(version, body, { maxBytes: bytes(12 * MIB), signal: leaving.signal })
        putting.catch(() => undefined)
        const content = randomBytes(11 * MIB)
        body.write(content)
        await new Promise((resolve) => body.once('drain', resolve))
        if (why === 'broken') body.destroy()
        if (why === 'aborted') leaving.abort(new Error('gone'))
        if (why === 'too large') body.end(content)
        await expect(putting).rejects.toThrow()
        expect(await store.list(null, 10)).toEqual([])
        expect((await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? []).toEqual([])
      }
    })

    test('of two at once under one name one succeeds', async () => {
      const { store } = await open(PARTS)
      const version = newVersion()
      const contents = [randomBytes(6 * MIB), randomBytes(6 * MIB)]
      const outcomes = await Promise.allSettled(contents.map((content) => large(store, version, content)))
      const winners = outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []))
      expect(winners).toHaveLength(1)
      expect((await read(store, version)).equals(contents[winners[0] ?? 0] ?? Buffer.alloc(0))).toBe(true)
    })
  })

  test('s3: a body passes through in little memory, however large it is', async () => {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/prepare.js')])
    const { place } = await open()
    const size = process.env.TEST_HEAVY ? 2 ** 31 : 2 ** 28
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, 's3-probe.js'),
      JSON.stringify({ place, size }),
    ])
    expect(JSON.parse(stdout)).toMatchObject({ size, same: true })
    expect(JSON.parse(stdout).peakMiB).toBeLessThan(300)
  }, 240_000)

  test('s3: an upload in parts that a dead process left shows in the listing, and goes with its version', async () => {
    const { store, client, bucket, place } = await open()
    const [dead, other, whole] = [newVersion(), newVersion(), newVersion()]
    await put(store, whole, randomBytes(10))
    for (const version of [dead, other]) {
      const Key = `${version.slice(0, 2)}/${version.slice(2, 4)}/${version}`
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }))
      await client.send(new UploadPartCommand({ Bucket: bucket, Key, UploadId, PartNumber: 1, Body: Buffer.alloc(100) }))
    }
    const all = [dead, other, whole].sort()
    for (const limit of [1, 2, 10]) {
      const seen: string[] = []
      for (let page = await store.list(null, limit); page.length > 0; page = await store.list(page.at(-1) ?? null, limit))
        seen.push(...page)
      expect(seen).toEqual(all)
    }
    await store.delete([dead])
    expect(await store.list(null, 10)).toEqual([other, whole].sort())
    expect(place.prefix).toBe('')
  })

  test('s3: stores of two prefixes in one bucket know nothing of each other, nor of what else is there', async () => {
    const { client, bucket, place } = await open()
    const [one, two] = ['one/', 'two/'].map((prefix) => createS3ByteStore({ place: { ...place, prefix }, limits: LIMITS }))
    if (!one || !two) throw new Error('two stores')
    const version = newVersion()
    await put(one.store, version, Buffer.from('one'))
    await put(two.store, version, Buffer.from('two'))
    for (const Key of ['one/notes.txt', `one/${version}`, 'one/ab/cd/x', 'three'])
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' }))
    expect(await one.store.list(null, 10)).toEqual([version])
    await one.store.delete([version])
    expect((await read(two.store, version)).toString()).toBe('two')
  })

  test('s3: the mark of a store is what was written, null when there is none, an error when it is something else', async () => {
    const { marker, client, bucket } = await open()
    expect(await marker.read()).toBe(null)
    const id = '11111111-2222-4333-8444-555555555555'
    await marker.write(id)
    expect(await marker.read()).toBe(id)
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'stowage-store.json', Body: '{}' }))
    await expect(marker.read()).rejects.toThrow('does not name a store')
  })
})
