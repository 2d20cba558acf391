import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type ByteRange,
  type ByteStore,
  DamagedBytes,
  NoSuchBytes,
  TooManyBytes,
  VersionExists,
  type VersionId,
} from '../../src/bytes/byte-store.ts'
import { bytes } from '../../src/std/brand.ts'

export const newVersion = () => randomUUID() as VersionId
export const never: AbortSignal = new AbortController().signal
setMaxListeners(0, never)

/** As a socket delivers it: in chunks, over several turns. */
export const bodyOf = (content: Buffer, chunk = 64 * 1024): Readable =>
  Readable.from(
    (async function* () {
      for (let at = 0; at < content.length; at += chunk) {
        yield content.subarray(at, at + chunk)
        await null
      }
    })(),
    { objectMode: false },
  )

export const put = (store: ByteStore, version: VersionId, content: Buffer, maxBytes = 1e12) =>
  store.put(version, bodyOf(content), { maxBytes: bytes(maxBytes), signal: never })

export const read = async (store: ByteStore, version: VersionId, range: ByteRange | null = null) =>
  buffer(await store.get(version, { range, signal: never }))

const fingerprintOf = (content: Buffer) => ({
  size: content.length,
  md5: createHash('md5').update(content).digest('hex'),
  sha256: createHash('sha256').update(content).digest('hex'),
  crc32: crc32(content),
})

/** The laws of {@link ByteStore}, for every adapter. */
export function describeByteStore(name: string, make: () => Promise<ByteStore>): void {
  describe(`${name} keeps the laws of a byte store`, () => {
    let store: ByteStore
    beforeEach(async () => {
      store = await make()
    })
    afterEach(() => store.close())

    const isMissing = async (version: VersionId) => {
      await expect(store.get(version, { range: null, signal: never })).rejects.toThrow(NoSuchBytes)
      expect(await store.list(null, 1000)).not.toContain(version)
    }

    test.each([0, 1, 4096, 65_536, 65_537, 262_144, 3_000_001])(
      '%i bytes come back as they went in, with size and hashes',
      async (size) => {
        const content = randomBytes(size)
        const version = newVersion()
        expect(await put(store, version, content)).toEqual(fingerprintOf(content))
        expect((await read(store, version)).equals(content)).toBe(true)
      },
    )

    test.each([
      [0, 0],
      [0, 999_999],
      [1, 70_000],
      [65_536, 131_071],
      [999_999, 999_999],
      [123, 500_000],
    ])('a range %i-%i is exactly those bytes', async (first, last) => {
      const content = randomBytes(1_000_000)
      const version = newVersion()
      await put(store, version, content)
      const range = { first: bytes(first), last: bytes(last) }
      expect((await read(store, version, range)).equals(content.subarray(first, last + 1))).toBe(true)
    })

    test('a body of the limit is taken, one byte more is refused and leaves nothing', async () => {
      for (const limit of [0, 10, 300_000]) {
        const exact = newVersion()
        expect((await put(store, exact, randomBytes(limit), limit)).size).toBe(limit)
        const over = newVersion()
        await expect(put(store, over, randomBytes(limit + 1), limit)).rejects.toThrow(TooManyBytes)
        await isMissing(over)
      }
    })

    test('a refused body is not read to its end, nor destroyed', async () => {
      const body = new PassThrough()
      const refused = store.put(newVersion(), body, { maxBytes: bytes(10), signal: never })
      body.write(randomBytes(11))
      await expect(refused).rejects.toThrow(TooManyBytes)
      expect(body.destroyed).toBe(false)
      const closed = new Promise((resolve) => body.once('close', resolve))
      body.destroy(new Error('the socket broke later'))
      await closed
    })

    test('a body that broke before anybody looked at it leaves nothing', async () => {
      const version = newVersion()
      const body = new PassThrough()
      const putting = store.put(version, body, { maxBytes: bytes(1e9), signal: never })
      body.destroy(new Error('reset at once'))
      await expect(putting).rejects.toThrow('reset at once')
      await isMissing(version)
    })

    test.each([10, 65_536, 700_000])('a range that ends behind %i bytes is damage, and never a short answer', async (size) => {
      const version = newVersion()
      await put(store, version, randomBytes(size))
      for (const first of [0, size - 1, size]) {
        const range: ByteRange = { first: bytes(first), last: bytes(size) }
        await expect(read(store, version, range)).rejects.toThrow(DamagedBytes)
      }
    })

    test('an existing version is left as it is', async () => {
      const version = newVersion()
      const content = randomBytes(1000)
      await put(store, version, content)
      await expect(put(store, version, randomBytes(500))).rejects.toThrow(VersionExists)
      expect((await read(store, version)).equals(content)).toBe(true)
    })

    test('of two puts of one version at once one succeeds', async () => {
      const version = newVersion()
      const contents = [randomBytes(200_000), randomBytes(200_000)]
      const outcomes = await Promise.allSettled(contents.map((content) => put(store, version, content)))
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect((await read(store, version)).equals(contents[winner] ?? Buffer.alloc(0))).toBe(true)
    })

    test('a missing version is told before the first byte', async () => {
      await isMissing(newVersion())
      for (const name of ['', '..', '../../etc/passwd', '1', newVersion().toUpperCase()]) await isMissing(name as VersionId)
      await expect(store.copy(newVersion(), newVersion(), { known: null, signal: never })).rejects.toThrow(NoSuchBytes)
    })

    test('deleting removes, missing versions too, and twice', async () => {
      const versions = Array.from({ length: 40 }, newVersion)
      await Promise.all(versions.map((version) => put(store, version, randomBytes(10))))
      const kept = versions.pop() ?? newVersion()
      await store.delete([...versions, newVersion(), '../x' as VersionId])
      await store.delete(versions)
      expect(await store.list(null, 100)).toEqual([kept])
      await store.delete([])
    })

    test('a reader that has begun reads to the end while its version is deleted', async () => {
      const version = newVersion()
      const content = randomBytes(2_000_000)
      await put(store, version, content)
      const body = await store.get(version, { range: null, signal: never })
      await store.delete([version])
      expect((await buffer(body)).equals(content)).toBe(true)
      await isMissing(version)
    })

    test.each([
      ['nothing', false],
      ['everything', true],
    ])('a copy is equal and independent, with %s known of its source', async (_, isKnown) => {
      const [from, to] = [newVersion(), newVersion()]
      const content = randomBytes(700_000)
      const stored = await put(store, from, content)
      const known = isKnown ? stored : null
      expect(await store.copy(from, to, { known, signal: never })).toEqual(fingerprintOf(content))
      await store.delete([from])
      expect((await read(store, to)).equals(content)).toBe(true)
      await expect(store.copy(to, to, { known, signal: never })).rejects.toThrow(VersionExists)
      expect((await read(store, to)).equals(content)).toBe(true)
      await expect(store.copy(from, newVersion(), { known, signal: never })).rejects.toThrow(NoSuchBytes)
    })

    test('an aborted put leaves nothing, whenever the abort comes', async () => {
      const content = randomBytes(400_000)
      for (const turns of [0, 1, 2, 5, 10, 20]) {
        const version = newVersion()
        const leaving = new AbortController()
        const body = new PassThrough()
        const putting = store.put(version, body, { maxBytes: bytes(1e9), signal: leaving.signal })
        putting.catch(() => undefined)
        for (let i = 0; i < turns; i++) {
          body.write(content.subarray(i * 10_000, (i + 1) * 10_000))
          await new Promise(setImmediate)
        }
        if (turns === 20) body.end()
        leaving.abort(new Error('gone'))
        await expect(putting).rejects.toThrow('gone')
        await isMissing(version)
      }
    })

    test('an abort ends the wait for a sender that stalls', async () => {
      const version = newVersion()
      const body = new PassThrough()
      body.write('some')
      const leaving = new AbortController()
      const putting = store.put(version, body, { maxBytes: bytes(1e9), signal: leaving.signal })
      putting.catch(() => undefined)
      await sleep(20)
      leaving.abort(new Error('too slow'))
      await expect(putting).rejects.toThrow('too slow')
      await isMissing(version)
    })

    test('a call that was aborted before does nothing', async () => {
      const version = newVersion()
      const gone = AbortSignal.abort(new Error('gone'))
      await expect(store.put(version, bodyOf(randomBytes(10)), { maxBytes: bytes(100), signal: gone })).rejects.toThrow('gone')
      await isMissing(version)
      await put(store, version, randomBytes(10))
      await expect(store.get(version, { range: null, signal: gone })).rejects.toThrow('gone')
      await expect(store.copy(version, newVersion(), { known: null, signal: gone })).rejects.toThrow('gone')
    })

    test('an aborted get ends the body as an error', async () => {
      const version = newVersion()
      await put(store, version, randomBytes(2_000_000))
      const leaving = new AbortController()
      const body = await store.get(version, { range: null, signal: leaving.signal })
      leaving.abort()
      await expect(buffer(body)).rejects.toThrow(/abort/i)
    })

    test('a body that breaks off leaves nothing', async () => {
      for (const error of [new Error('reset'), undefined]) {
        const version = newVersion()
        const body = new PassThrough()
        const putting = store.put(version, body, { maxBytes: bytes(1e9), signal: never })
        putting.catch(() => undefined)
        body.write(randomBytes(300_000))
        await sleep(5)
        body.destroy(error)
        await expect(putting).rejects.toThrow(error ? 'reset' : 'complete')
        await isMissing(version)
      }
    })

    test('200 puts at once, each whole, while others are read and deleted', async () => {
      const old = Array.from({ length: 50 }, newVersion)
      await Promise.all(old.map((version) => put(store, version, Buffer.from(version.repeat(2000)))))
      const made = Array.from({ length: 200 }, newVersion)
      await Promise.all([
        ...made.map((version) => put(store, version, Buffer.from(version.repeat(1000)))),
        ...old.map(async (version) => expect((await read(store, version)).toString()).toBe(version.repeat(2000))),
      ])
      await Promise.all([
        store.delete(old),
        ...made.map(async (version) => expect((await read(store, version)).toString()).toBe(version.repeat(1000))),
      ])
      expect(await store.list(null, 1000)).toEqual([...made].sort())
    })

    test('the list names every version once, in order, any number at a time', async () => {
      const versions = Array.from({ length: 60 }, newVersion)
      // neighbours in one folder, and the ends of the range
      for (const fixed of [
        '00000000-0000-4000-8000-000000000000',
        'ffffffff-ffff-4fff-bfff-ffffffffffff',
        '00000000-0000-4000-8000-000000000001',
      ])
        versions.push(fixed as VersionId)
      await Promise.all(versions.map((version) => put(store, version, Buffer.alloc(1))))
      for (const limit of [1, 7, 63, 100]) {
        const seen: VersionId[] = []
        for (let page = await store.list(null, limit); page.length > 0; page = await store.list(page.at(-1) ?? null, limit)) {
          expect(page.length).toBeLessThanOrEqual(limit)
          seen.push(...page)
        }
        expect(seen).toEqual([...versions].sort())
      }
    })
  })
}
