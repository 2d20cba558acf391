import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type ByteStore, DamagedBytes, LentBytes } from '../../src/bytes/byte-store.ts'
import { createMemoryByteStore } from '../../src/bytes/memory.ts'
import { bytes, milliseconds } from '../../src/std/brand.ts'
import { createKeptBytes } from '../../src/storage/kept-bytes.ts'
import { openBytes } from '../../src/storage/object/open-bytes.ts'
import { createVerifiedReads } from '../../src/storage/verified-reads.ts'
import { never, newVersion } from '../bytes/byte-store.contract.ts'

const right = randomBytes(300_000)
const rotten = Buffer.from(right).fill(0, 5_000, 5_100)

/** A large object whose bytes and mark tests change at will, as a disk may without telling. */
function world(verifiedReads = createVerifiedReads()) {
  const stored = { content: right, mark: 'as written' as string | null }
  const get: ByteStore['get'] = async () => {
    const left = [stored.content, null]
    function read(this: Readable) {
      this.push(left.shift() ?? null)
    }
    return stored.mark === null ? new Readable({ read }) : new LentBytes({ read }, stored.mark, () => undefined)
  }
  const deps = { bytes: { ...createMemoryByteStore(), get }, verifyReads: true, keptBytes: createKeptBytes(bytes(0)), verifiedReads }
  const version = newVersion()
  const read = async () => {
    const body = await openBytes(deps, { version, size: right.length, crc32: crc32(right) }, null, () => undefined, never)
    return buffer(body as Readable)
  }
  return { stored, read, deps, version }
}

test('another checksum in the row is compared', async () => {
  const { read, deps, version } = world()
  await read()
  const wrong = { version, size: right.length, crc32: crc32(rotten) }
  await expect(buffer((await openBytes(deps, wrong, null, () => undefined, never)) as Readable)).rejects.toThrow(DamagedBytes)
})

describe('a large object that fitted its checksum', () => {
  test('is not compared again while nobody wrote to it', async () => {
    const { stored, read } = world()
    expect((await read()).equals(right)).toBe(true)
    stored.content = rotten
    expect((await read()).equals(rotten)).toBe(true)
  })

  test('is compared again when somebody wrote to it', async () => {
    const { stored, read } = world()
    await read()
    Object.assign(stored, { content: rotten, mark: 'written again' })
    await expect(read()).rejects.toThrow(DamagedBytes)
  })

  test('is compared again after a while, however often it was asked for meanwhile', async () => {
    const { stored, read } = world(createVerifiedReads(milliseconds(200)))
    await read()
    stored.content = rotten
    const outcomes: boolean[] = []
    await expect.poll(async () => outcomes.push(await read().then(Boolean, () => false)) && outcomes.at(-1), { interval: 20 }).toBe(false)
    expect(outcomes[0]).toBe(true)
  })

  test('is compared each time where the store cannot tell whether somebody wrote', async () => {
    const { stored, read } = world()
    stored.mark = null
    await read()
    stored.content = rotten
    await expect(read()).rejects.toThrow(DamagedBytes)
  })
})

test('what did not fit, or was not read to its end, is not remembered', async () => {
  const { stored, read, deps, version } = world()
  stored.content = rotten
  await expect(read()).rejects.toThrow(DamagedBytes)
  await expect(read()).rejects.toThrow(DamagedBytes)
  const given = await openBytes(deps, { version, size: right.length, crc32: crc32(right) }, null, () => undefined, never)
  ;(given as Readable).destroy()
  await expect(read()).rejects.toThrow(DamagedBytes)
})

test('a part tells nothing of the whole', async () => {
  const { stored, read, deps, version } = world()
  const range = { first: bytes(0), last: bytes(right.length - 1) }
  const part = { first: bytes(0), last: bytes(right.length - 2) }
  stored.content = rotten.subarray(0, -1)
  const object = { version, size: right.length, crc32: crc32(right) }
  await buffer((await openBytes(deps, object, part, () => undefined, never)) as Readable)
  stored.content = rotten
  await expect(read()).rejects.toThrow(DamagedBytes)
  await expect(buffer((await openBytes(deps, object, range, () => undefined, never)) as Readable)).rejects.toThrow(DamagedBytes)
})
