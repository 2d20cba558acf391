import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ByteStore, VersionId } from '../../../src/bytes/byte-store.ts'
import { createFingerprint } from '../../../src/bytes/fingerprint.ts'
import { createFsByteStore } from '../../../src/bytes/fs.ts'
import { publishNew, reserveVersion } from '../../../src/storage/rows/ledger.sql.ts'
import { type Finding, type Scrub, type ScrubDeps, scrubObjects } from '../../../src/storage/scrub/scrub-objects.ts'
import { newVersion, put } from '../../bytes/byte-store.contract.ts'
import { type StorageDatabase, service, storageDatabase } from '../storage-database.ts'

let database: StorageDatabase
let folder: string
let bytes: ByteStore
beforeAll(async () => {
  database = await storageDatabase('scrub')
  await database.service(`insert into storage.buckets (id, name) values ('b', 'b'), ('c', 'c')`)
})
afterAll(() => database.drop())

beforeEach(async () => {
  await database.service('delete from storage.objects')
  await database.service('delete from stowage.versions')
  folder = await mkdtemp(join(tmpdir(), 'stowage-scrub-'))
  bytes = createFsByteStore({ folder, maxConcurrentSyncs: 4 })
  return () => rm(folder, { recursive: true, force: true })
})

const pathOf = (version: VersionId) => join(folder, version.slice(0, 2), version.slice(2, 4), version)

async function upload(key: string, content: Buffer = Buffer.from(key), bucketId = 'b'): Promise<VersionId> {
  const version = newVersion()
  await database.as(service, [reserveVersion(version, bucketId, key)])
  const stored = await put(bytes, version, content)
  const nobody = { ownerId: null, metadata: JSON.stringify({ size: content.length }), userMetadata: null }
  await database.as(service, [publishNew({ ...nobody, version, bucketId, key, stored })])
  return version
}

async function scrub(more: Partial<Scrub> = {}, deps: Partial<ScrubDeps> = {}) {
  const findings: Finding[] = []
  const report = await scrubObjects(
    { run: (statements) => database.as(service, statements), bytes, fingerprint: createFingerprint, pace: async () => undefined, ...deps },
    {
      bucket: null,
      after: null,
      onFinding: (finding) => findings.push(finding),
      onProgress: () => undefined,
      signal: new AbortController().signal,
      ...more,
    },
  )
  return { ...report, findings }
}

test('what is as it was stored is no finding, whatever its size', async () => {
  const sizes = [0, 1, 65_536, 65_537, 262_145, 1_000_000]
  for (const size of sizes) await upload(`of ${size}`, randomBytes(size))
  expect(await scrub()).toMatchObject({
    objects: 6,
    bytes: sizes.reduce((sum, size) => sum + size),
    damaged: 0,
    missing: 0,
    unreadable: 0,
    unverifiable: 0,
    complete: true,
    findings: [],
  })
})

describe('finds', () => {
  test('exactly the damaged ones, and says how', async () => {
    for (let i = 0; i < 20; i++) await upload(`right ${i}`, randomBytes(2_000))
    const [flipped, cut, grown, gone] = await Promise.all(
      ['flipped', 'cut', 'grown', 'gone'].map((key) => upload(key, randomBytes(100_000))),
    )
    const content = await readFile(pathOf(flipped as VersionId))
    content.writeUInt8(content.readUInt8(50_000) ^ 4, 50_000)
    await writeFile(pathOf(flipped as VersionId), content)
    await truncate(pathOf(cut as VersionId), 99_999)
    await writeFile(pathOf(grown as VersionId), 'more', { flag: 'a' })
    await bytes.delete([gone as VersionId])
    const { findings, ...report } = await scrub()
    expect(report).toMatchObject({ objects: 24, damaged: 3, missing: 1, unreadable: 0, complete: true })
    const byKey = [...findings].sort((a, b) => a.key.localeCompare(b.key))
    expect(byKey).toEqual([
      { kind: 'damaged', bucket: 'b', key: 'cut', version: cut, why: '99999 bytes instead of 100000' },
      { kind: 'damaged', bucket: 'b', key: 'flipped', version: flipped, why: 'its SHA-256 is another' },
      { kind: 'missing', bucket: 'b', key: 'gone', version: gone, why: 'the store has no such version' },
      { kind: 'damaged', bucket: 'b', key: 'grown', version: grown, why: '100004 bytes instead of 100000' },
    ])
  })

  test('two objects whose bytes were swapped', async () => {
    const [one, other] = [await upload('one', randomBytes(500)), await upload('other', randomBytes(500))]
    const [ofOne, ofOther] = await Promise.all([readFile(pathOf(one)), readFile(pathOf(other))])
    await writeFile(pathOf(one), ofOther)
    await writeFile(pathOf(other), ofOne)
    expect(await scrub()).toMatchObject({ damaged: 2 })
  })

  test('a row that reads would refuse although its bytes are right', async () => {
    await upload('k')
    await database.service('update storage.objects set crc32 = crc32 # 1')
    expect((await scrub()).findings).toMatchObject([{ kind: 'damaged', why: 'its CRC-32 is another than its row says' }])
  })

  test('rows put in by hand: without bytes, or with bytes that nothing is known of', async () => {
    const strangers = newVersion()
    await put(bytes, strangers, randomBytes(10))
    await database.service(
      `insert into storage.objects (bucket_id, name, version) values ('b', 'none', null), ('b', 'odd', '../../etc/passwd'), ('b', 'unknown', $1)`,
      strangers,
    )
    const { findings, ...report } = await scrub()
    expect(report).toMatchObject({ objects: 3, missing: 2, unverifiable: 1 })
    expect(findings.map(({ key, why }) => [key, why]).sort()).toEqual([
      ['none', 'its row names no bytes of ours'],
      ['odd', 'its row names no bytes of ours'],
    ])
  })

  test('a file that cannot be read, and goes on', async () => {
    await upload('right')
    const bad = await upload('bad')
    const failing: ByteStore = {
      ...bytes,
      get: async (version, options) => {
        if (version === bad) throw new Error('EIO: i/o error, read')
        return bytes.get(version, options)
      },
    }
    expect(await scrub({}, { bytes: failing })).toMatchObject({
      objects: 2,
      unreadable: 1,
      findings: [{ kind: 'unreadable', key: 'bad', why: 'EIO: i/o error, read' }],
    })
  })
})

test('an object that is overwritten or removed while it is read is no finding', async () => {
  const versions = new Map([
    [await upload('overwritten'), `update storage.objects set version = '${randomUUID()}' where name = 'overwritten'`],
    [await upload('removed'), `delete from storage.objects where name = 'removed'`],
  ])
  const busy: ByteStore = {
    ...bytes,
    get: async (version, options) => {
      const change = versions.get(version)
      if (change) await database.service(change)
      if (change) await bytes.delete([version])
      return bytes.get(version, options)
    },
  }
  expect(await scrub({}, { bytes: busy })).toMatchObject({ objects: 2, missing: 0, findings: [] })
})

test('looks at one bucket alone', async () => {
  await upload('in b')
  await bytes.delete([await upload('in c', randomBytes(3), 'c')])
  expect(await scrub({ bucket: 'b' })).toMatchObject({ objects: 1, missing: 0 })
  expect(await scrub({ bucket: 'c' })).toMatchObject({ objects: 1, missing: 1 })
  expect(await scrub({ bucket: 'none' })).toMatchObject({ objects: 0, complete: true, after: null })
})

test('is broken off and goes on where it was, over several pages, and tells how far it is', async () => {
  await Promise.all(Array.from({ length: 450 }, (_, i) => upload(`k${i}`, randomBytes(10))))
  const progress: [number, number][] = []
  const stopping = new AbortController()
  const first = await scrub({
    signal: stopping.signal,
    onProgress: ({ objects }, of) => {
      progress.push([objects, of])
      if (objects === 400) stopping.abort()
    },
  })
  expect(progress).toEqual([
    [200, 450],
    [400, 450],
  ])
  expect(first).toMatchObject({ objects: 400, complete: false })
  const rest = await scrub({ after: first.after })
  expect(rest).toMatchObject({ objects: 50, complete: true })
})

test('a stop in the middle of an object leaves it for the next time', async () => {
  await upload('large', randomBytes(2_000_000))
  const stopping = new AbortController()
  const report = await scrub({ signal: stopping.signal }, { pace: async () => stopping.abort() })
  expect(report).toMatchObject({ objects: 0, complete: false, after: null, findings: [] })
})

test('waits as it is told to', async () => {
  await upload('k', randomBytes(600_000))
  const passed: number[] = []
  await scrub(
    {},
    {
      pace: async (length) => {
        passed.push(length)
      },
    },
  )
  expect(passed.reduce((sum, length) => sum + length)).toBe(600_000)
})
