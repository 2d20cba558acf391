import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { type ByteStore, DamagedBytes, HeldBytes } from '../../src/bytes/byte-store.ts'
import { createMemoryByteStore } from '../../src/bytes/memory.ts'
import { bytes } from '../../src/std/brand.ts'
import { createKeptBytes } from '../../src/storage/kept-bytes.ts'
import { openBytes } from '../../src/storage/object/open-bytes.ts'
import { createVerifiedReads } from '../../src/storage/verified-reads.ts'
import { never, newVersion } from '../bytes/byte-store.contract.ts'

/** A store that counts how often it is read, and answers as files do. */
function counting(content: () => Buffer): { readonly store: ByteStore; readonly reads: () => number } {
  let reads = 0
  const get: ByteStore['get'] = async (_version, { range }) => {
    reads++
    return new HeldBytes(range ? content().subarray(range.first, range.last + 1) : content())
  }
  return { store: { ...createMemoryByteStore(), get }, reads: () => reads }
}

const open = (
  deps: Parameters<typeof openBytes>[0],
  version: ReturnType<typeof newVersion>,
  content: Buffer,
  range: [number, number] | null,
) =>
  openBytes(
    deps,
    { version, size: content.length, crc32: crc32(content) },
    range && { first: bytes(range[0]), last: bytes(range[1]) },
    () => undefined,
    never,
  )

test('what was read once, whole or in part, is not read again', async () => {
  const content = randomBytes(4096)
  const { store, reads } = counting(() => content)
  const deps = { bytes: store, verifyReads: true, keptBytes: createKeptBytes(bytes(2 ** 20)), verifiedReads: createVerifiedReads() }
  const version = newVersion()
  expect(await open(deps, version, content, [10, 19])).toEqual(content.subarray(10, 20))
  for (let i = 0; i < 5; i++) expect(await open(deps, version, content, null)).toEqual(content)
  expect(reads()).toBe(1)
})

test('what is damaged is not kept', async () => {
  const content = randomBytes(4096)
  let stored = Buffer.from(content).fill(0, 100, 110)
  const { store } = counting(() => stored)
  const deps = { bytes: store, verifyReads: true, keptBytes: createKeptBytes(bytes(2 ** 20)), verifiedReads: createVerifiedReads() }
  const version = newVersion()
  await expect(open(deps, version, content, null)).rejects.toThrow(DamagedBytes)
  stored = content
  expect(await open(deps, version, content, null)).toEqual(content)
})

test('memory is bounded: what was not asked for lately is read again', async () => {
  const content = randomBytes(4096)
  const { store, reads } = counting(() => content)
  const deps = { bytes: store, verifyReads: false, keptBytes: createKeptBytes(bytes(20_000)), verifiedReads: createVerifiedReads() }
  const versions = Array.from({ length: 10 }, newVersion)
  for (const version of versions) await open(deps, version, content, null)
  for (const version of versions.slice(-3)) await open(deps, version, content, null)
  expect(reads()).toBe(10)
  for (const version of versions.slice(0, 1)) await open(deps, version, content, null)
  expect(reads()).toBe(11)
})

test('0 keeps nothing', async () => {
  const content = randomBytes(10)
  const { store, reads } = counting(() => content)
  const deps = { bytes: store, verifyReads: true, keptBytes: createKeptBytes(bytes(0)), verifiedReads: createVerifiedReads() }
  const version = newVersion()
  for (let i = 0; i < 3; i++) await open(deps, version, content, null)
  expect(reads()).toBe(3)
})
