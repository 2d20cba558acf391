import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { StoreFailed } from '../../src/bytes/byte-store.ts'
import { createDigestThreads, type Digest, type DigestThreads, digestHere } from '../../src/bytes/digest-threads.ts'

const hashesOf = (content: Buffer) => ({
  size: content.length,
  md5: createHash('md5').update(content).digest('hex'),
  sha256: createHash('sha256').update(content).digest('hex'),
  crc32: crc32(content),
})

const shared = (content: Buffer): Buffer => {
  const piece = Buffer.from(new SharedArrayBuffer(content.length))
  content.copy(piece)
  return piece
}

/** All but the last piece are under way at once. */
async function digested(digest: Digest, content: Buffer, size: number) {
  const adding: Promise<void>[] = []
  let at = 0
  for (; at + size <= content.length; at += size) adding.push(digest.add(shared(content.subarray(at, at + size))))
  const stored = await digest.finish(shared(content.subarray(at)))
  await Promise.all(adding)
  return stored
}

describe('hashes of large bodies', () => {
  let threads: DigestThreads | null = null
  const open = (most: number, idleMs?: number) => {
    threads = createDigestThreads(most, idleMs)
    return threads
  }
  afterEach(() => threads?.close())

  test.each([1, 2, 3])('with %i threads each body has its own, alone and at once, whatever the size of its pieces', async (most) => {
    const { begin } = open(most)
    for (const size of [0, 1, 1000, 300_000]) {
      const content = randomBytes(size)
      expect(await digested(begin(), content, 1000)).toEqual(hashesOf(content))
    }
    const contents = Array.from({ length: 20 }, (_, i) => randomBytes(i * 7_001))
    const stored = await Promise.all(contents.map((content, i) => digested(begin(), content, 500 + i)))
    expect(stored).toEqual(contents.map(hashesOf))
  })

  test('in the calling thread they are the same', async () => {
    const content = randomBytes(70_000)
    expect(await digested(digestHere(), content, 999)).toEqual(hashesOf(content))
  })

  test('pieces without bytes change nothing', async () => {
    const digest = open(1).begin()
    const content = randomBytes(100)
    for (const piece of [Buffer.alloc(0), content, Buffer.alloc(0)]) await digest.add(piece)
    expect(await digest.finish(Buffer.alloc(0))).toEqual(hashesOf(content))
  })

  test('a body that was forgotten disturbs no other', async () => {
    const { begin } = open(2)
    const [left, right] = [begin(), begin()]
    const content = randomBytes(5_000)
    const adding = left.add(shared(randomBytes(100)))
    left.forget()
    await adding
    expect(await digested(right, content, 1_000)).toEqual(hashesOf(content))
    right.forget()
  })

  test('a thread that ends fails the bodies it had, and the next body has another', async () => {
    const { begin } = open(1)
    const [alone, other] = [begin(), begin()]
    // answered before the thread ends: an end may overtake an answer
    await other.add(shared(randomBytes(100)))
    const broken = alone.add(5 as never)
    await expect(broken).rejects.toThrow(StoreFailed)
    await expect(broken).rejects.toThrow('a thread that hashes ended: ')
    await expect(alone.finish(Buffer.alloc(0))).rejects.toThrow(StoreFailed)
    await expect(other.finish(shared(randomBytes(100)))).rejects.toThrow(StoreFailed)
    alone.forget()
    other.forget()
    const content = randomBytes(5_000)
    expect(await digested(begin(), content, 1_000)).toEqual(hashesOf(content))
  })

  test('threads without a body end after a while, one with a body does not', async () => {
    const { begin } = open(2, 40)
    const content = randomBytes(5_000)
    const slow = begin()
    const adding = slow.add(shared(content.subarray(0, 1_000)))
    expect(await digested(begin(), content, 1_000)).toEqual(hashesOf(content))
    await sleep(200)
    await adding
    expect(await slow.finish(shared(content.subarray(1_000)))).toEqual(hashesOf(content))
    await sleep(200)
    expect(await digested(begin(), content, 1_000)).toEqual(hashesOf(content))
  })

  test('behind the end nothing is hashed', async () => {
    const { begin, close } = open(2)
    const before = begin()
    await before.add(shared(randomBytes(10)))
    const waiting = before.add(shared(randomBytes(10)))
    waiting.catch(() => undefined)
    await close()
    for (const digest of [before, begin()]) {
      await expect(digest.add(shared(randomBytes(10)))).rejects.toThrow('closed')
      await expect(digest.finish(Buffer.alloc(0))).rejects.toThrow(StoreFailed)
      digest.forget()
    }
  })
})
