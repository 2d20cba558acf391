import { randomBytes } from 'node:crypto'
import { PassThrough, Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { finished, pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DamagedBytes, LentBytes } from '../../src/bytes/byte-store.ts'
import { createChunkPool } from '../../src/std/chunk-pool.ts'
import { SentBody } from '../../src/storage/object/sent-body.ts'

const content = randomBytes(1000)
const chunked = (bytes: Buffer) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 300) }, (_, i) => bytes.subarray(i * 300, i * 300 + 300)),
    { objectMode: false },
  )

/** What came before the end, and how it ended. */
async function received(body: Readable): Promise<{ readonly bytes: Buffer; readonly error: unknown }> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of body) chunks.push(chunk as Buffer)
    return { bytes: Buffer.concat(chunks), error: null }
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error }
  }
}

describe('what fits its checksum', () => {
  test.each([crc32(content), null])('is handed on as it is (checksum %d)', async (checksum) => {
    expect(await buffer(new SentBody(chunked(content), content.length, checksum))).toEqual(content)
  })

  test('reaches a slow receiver through pipe', async () => {
    const to = new PassThrough({ highWaterMark: 10 })
    new SentBody(chunked(content), content.length, crc32(content)).pipe(to)
    expect(await buffer(to)).toEqual(content)
  })
})

describe('what does not fit breaks off before its last byte', () => {
  const damaged = Buffer.from(content)
  damaged[0] = (damaged[0] ?? 0) ^ 1
  test.each([
    ['another checksum', damaged, 'their checksum is another'],
    ['too few', content.subarray(0, 999), 'there are only 999 bytes of 1000'],
    ['too many', Buffer.concat([content, Buffer.alloc(1)]), 'there are more than 1000 bytes'],
  ])('%s', async (_, stored, why) => {
    const { bytes, error } = await received(new SentBody(chunked(stored), content.length, crc32(content)))
    expect(error).toBeInstanceOf(DamagedBytes)
    expect(error).toMatchObject({ message: why })
    expect(bytes.length).toBeLessThan(content.length)
  })

  test('a store that breaks off', async () => {
    const source = new PassThrough()
    source.write(content.subarray(0, 10))
    const body = new SentBody(source, content.length, null)
    setTimeout(() => source.destroy(), 10)
    expect((await received(body)).error).toMatchObject({ message: 'the store broke off' })
  })
})

test('a receiver who leaves ends the store’s stream, also before the first byte', async () => {
  const source = new PassThrough()
  new SentBody(source, 10, null).destroy()
  await finished(source).catch(() => undefined)
  expect(source.destroyed).toBe(true)
})

describe('memory', () => {
  /** A store’s stream that fills lent memory with the number of each piece. */
  function lending(pieces: number, pool: ReturnType<typeof createChunkPool>): LentBytes {
    let made = 0
    const read = function (this: Readable) {
      setImmediate(() => this.push(made === pieces ? null : pool.lend().fill(made++)))
    }
    return new LentBytes({ highWaterMark: 1, read }, 'as written', pool.giveBack)
  }

  /** Takes a chunk when told to, and looks at it only then. */
  function slow(taken: Buffer[]): Writable {
    return new Writable({
      highWaterMark: 1,
      write: (chunk, _, done) => {
        setImmediate(() => {
          taken.push(Buffer.from(chunk))
          done()
        })
      },
    })
  }

  test('is used again, and never while the receiver has it', async () => {
    const lent = new Set<ArrayBufferLike>()
    const pool = createChunkPool(100, 8)
    const counted = {
      lend: () => {
        const chunk = pool.lend()
        lent.add(chunk.buffer)
        return chunk
      },
      giveBack: pool.giveBack,
      drop: pool.drop,
      lent: pool.lent,
    }
    const taken: Buffer[] = []
    const to = slow(taken)
    new SentBody(lending(50, counted), 5000, null).pipe(to)
    await finished(to)
    expect(Buffer.concat(taken)).toEqual(Buffer.concat(Array.from({ length: 50 }, (_, i) => Buffer.alloc(100, i))))
    expect(lent.size).toBeLessThan(6)
  })

  test('is left to whoever does not pipe', async () => {
    const pool = createChunkPool(100, 8)
    const chunks: Buffer[] = []
    for await (const chunk of new SentBody(lending(5, pool), 500, null)) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks)).toEqual(Buffer.concat(Array.from({ length: 5 }, (_, i) => Buffer.alloc(100, i))))
  })

  test('of a receiver who failed is not lent to another', async () => {
    const pool = createChunkPool(100, 8)
    const seen: Buffer[] = []
    const failing = new Writable({
      write: (chunk, _, done) => {
        seen.push(chunk as Buffer)
        setImmediate(() => done(new Error('gone')))
      },
    })
    await pipeline(new SentBody(lending(5, pool), 500, null), failing).catch(() => undefined)
    expect(seen.map(({ buffer: memory }) => memory)).not.toContain(pool.lend().buffer)
  })

  test('given back twice, or by somebody it was never lent to, is lent once', () => {
    const pool = createChunkPool(100, 8)
    const chunk = pool.lend()
    pool.giveBack(chunk.subarray(0, 10))
    pool.giveBack(chunk)
    pool.giveBack(Buffer.allocUnsafeSlow(100))
    const [first, second] = [pool.lend(), pool.lend()]
    expect(first.buffer).toBe(chunk.buffer)
    expect(second.buffer).not.toBe(chunk.buffer)
  })

  test('no more is kept than was said', () => {
    const pool = createChunkPool(100, 2)
    const chunks = [pool.lend(), pool.lend(), pool.lend()]
    for (const chunk of chunks) pool.giveBack(chunk)
    const again = [pool.lend(), pool.lend(), pool.lend()].map(({ buffer: memory }) => memory)
    expect(chunks.filter(({ buffer: memory }) => again.includes(memory))).toHaveLength(2)
  })
})
