import { randomBytes, randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFsStoreMarker } from '../../src/bytes/store-marker.ts'
import { createFsStoreNote } from '../../src/bytes/store-note.ts'
import { milliseconds } from '../../src/std/brand.ts'
import { readSeenDatabase } from '../../src/storage/sweep/database-identity.ts'
import { createInFlight } from '../../src/storage/sweep/in-flight.ts'
import { identifyStore } from '../../src/storage/sweep/store-identity.ts'
import { createSweeper, type Sweeper } from '../../src/storage/sweep/sweeper.ts'
import { SERVICE_KEY, type StorageService, startStorageService } from '../http/storage/storage-service.ts'
import { crowd } from '../support/crowd.ts'
import { type Call, createFaultyIo } from './faulty-io.ts'

/** What the disk says, and what the caller must hear of it. */
const ANSWERS: Readonly<Record<string, { readonly status: number; readonly code: string }>> = {
  EIO: { status: 500, code: 'StoreBroken' },
  ENOSPC: { status: 507, code: 'StoreFull' },
  EDQUOT: { status: 507, code: 'StoreFull' },
  EMFILE: { status: 503, code: 'StoreBusy' },
}
/** More than a call of the file system can want: then the sweep over them does not come to its end. */
const MOST_CALLS = 60

const disk = createFaultyIo()
const ioOnly = { io: disk.io, threads: disk.threads, maxWaitMs: milliseconds(1_500) }
let service: StorageService
let sweeper: Sweeper
let owner: pg.Client

beforeAll(async () => {
  service = await startStorageService('faults', { store: ioOnly, kept: 0 })
  owner = await service.database.connect()
  const { asService, bytes } = service.deps.storage
  const marker = createFsStoreMarker(service.folder)
  await identifyStore({ asService, bytes, marker, newId: randomUUID }, new AbortController().signal)
  sweeper = createSweeper({
    asService,
    bytes,
    marker,
    note: createFsStoreNote(service.folder, 'stowage-database', readSeenDatabase),
    inFlight: createInFlight(),
    newId: randomUUID,
    options: {
      intervalMs: milliseconds(3_600_000),
      graceMs: milliseconds(0),
      readerGraceMs: milliseconds(0),
      scanIntervalMs: milliseconds(3_600_000),
      maxOrphanShare: 1,
      maxOrphans: 1_000,
    },
    observe: () => undefined,
  })
  expect((await send('POST', '/bucket', '{"name":"b"}', { 'content-type': 'application/json' })).status).toBe(200)
})
afterAll(() => service.close())
beforeEach(() => disk.failNoMore())

type Answer = { readonly status: number; readonly body: Buffer; readonly headers: Headers }

const send = async (method: string, path: string, body?: Buffer | string, headers: Record<string, string> = {}): Promise<Answer> => {
  const answer = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${SERVICE_KEY}`, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()), headers: answer.headers }
}
const get = (key: string) => send('GET', `/object/b/${key}`)
const put = (key: string, body: Buffer) => send('PUT', `/object/b/${key}`, body)
/** null: there is no such object. Comparing large buffers in the words of `toEqual` takes seconds. */
async function expectContent(key: string, wanted: Buffer | null): Promise<void> {
  const { status, body } = await get(key)
  if (wanted === null) expect(JSON.parse(body.toString())).toMatchObject({ code: 'NoSuchKey' })
  else expect({ key, status, isWhole: body.equals(wanted) }).toEqual({ key, status: 200, isWhole: true })
}

async function rows(text: string): Promise<readonly string[]> {
  const { rows: found } = await owner.query(text)
  return found.map(({ value }) => String(value)).sort()
}

async function storedVersions(): Promise<readonly string[]> {
  const names = await readdir(service.folder, { recursive: true })
  return names.flatMap((name) => /[0-9a-f-]{36}$/.exec(name) ?? []).sort()
}

/** Nothing but what rows point at, nothing promised, nothing open. */
async function expectTidy(): Promise<void> {
  await service.settled()
  await sweeper.sweepOnce({ scan: true })
  expect(await storedVersions()).toEqual(await rows('select version as value from storage.objects where version is not null'))
  expect(await rows('select version as value from stowage.intents')).toEqual([])
  expect(await rows('select version as value from stowage.outbox')).toEqual([])
  expect(disk.openFiles()).toEqual([])
}

/** A failed flush says that bytes may be lost already: a second one on that file would answer that all is well. */
function expectNoSecondFlush(failed: Call): void {
  const flushes = disk.calls().filter(({ name, path }) => name === 'fsync' && path === failed.path)
  if (failed.name === 'fsync' && failed.flags === 'wx') expect(flushes).toHaveLength(1)
}

/** What a reader closes was read: the answer is right however it ends. */
const isHarmless = ({ name, flags }: Call): boolean => name === 'close' && flags === 'r'

/** Lets the first, the second, … call of `act` fail until it comes through without. Answers how many there were. */
async function overEveryCall(code: string, act: () => Promise<Answer>, after: (failed: boolean) => Promise<void>): Promise<number> {
  for (let nth = 1; nth < MOST_CALLS; nth++) {
    disk.failNth(nth, code)
    const answer = await act()
    disk.failNoMore()
    const failed = disk.failed()
    if (failed === null) {
      expect(answer.status, answer.body.toString()).toBe(200)
      await after(false)
      return nth - 1
    }
    const shown = `${failed.name} ${failed.path} (call ${nth}) answered ${answer.status} ${answer.body.subarray(0, 300)}`
    if (answer.status === 200) expect(isHarmless(failed), shown).toBe(true)
    else {
      expect(answer.status, shown).toBe(ANSWERS[code]?.status)
      expect(JSON.parse(answer.body.toString()).code, shown).toBe(ANSWERS[code]?.code)
      expect(answer.headers.get('retry-after'), shown).toBe(answer.status === 503 ? '1' : null)
    }
    expectNoSecondFlush(failed)
    await after(answer.status !== 200)
  }
  return expect.fail('the calls have no end')
}

const CODES = Object.keys(ANSWERS).filter((code) => code !== 'EDQUOT' || process.env.TEST_HEAVY === '1')

describe.each(CODES)('%s of the n-th call', (code) => {
  test('of an upload: refused in words, nothing there, and the next one is fine', async () => {
    for (const size of [0, 1_000, 600_000]) {
      const content = randomBytes(size)
      const calls = await overEveryCall(
        code,
        () => send('POST', '/object/b/new', content),
        async (refused) => {
          await expectContent('new', refused ? null : content)
          expect(await rows(`select name as value from storage.objects where name = 'new'`)).toEqual(refused ? [] : ['new'])
          if (!refused) await send('DELETE', '/object/b/new')
        },
      )
      expect(calls).toBeGreaterThan(5)
    }
    await expectTidy()
  })

  test('of a replacement: what was there is there', async () => {
    let before = randomBytes(1_000)
    await put('old', before)
    const calls = await overEveryCall(
      code,
      async () => {
        const next = randomBytes(300_000)
        const answer = await put('old', next)
        if (answer.status === 200) before = next
        return answer
      },
      async () => expectContent('old', before),
    )
    expect(calls).toBeGreaterThan(6)
    await expectTidy()
  })

  test('of a copy, small or large: no copy', async () => {
    for (const size of [1_000, 600_000]) {
      const content = randomBytes(size)
      await put('source', content)
      const command = JSON.stringify({ bucketId: 'b', sourceKey: 'source', destinationKey: 'copy' })
      await overEveryCall(
        code,
        () => send('POST', '/object/copy', command, { 'content-type': 'application/json' }),
        async (refused) => {
          await expectContent('copy', refused ? null : content)
          if (!refused) await send('DELETE', '/object/b/copy')
        },
      )
    }
    await expectTidy()
  })

  test('of a read: refused in words, or cut off, never a wrong byte', async () => {
    for (const size of [0, 1_000, 700_000]) {
      const content = randomBytes(size)
      await put('read', content)
      for (let nth = 1; ; nth++) {
        disk.failNth(nth, code)
        const alarms = service.observed.filter(({ kind }) => kind === 'store failed').length
        const answer = await get('read').catch(() => 'cut off' as const)
        const failed = disk.failed()
        if (answer !== 'cut off') {
          if (answer.status === 200) expect(answer.body.equals(content)).toBe(true)
          else expect(answer.status, answer.body.toString()).toBe(ANSWERS[code]?.status)
        }
        if (failed === null) break
        if (!isHarmless(failed)) {
          expect(answer === 'cut off' || answer.status !== 200, failed.name).toBe(true)
          expect(service.observed.filter(({ kind }) => kind === 'store failed').length, 'alarms').toBe(alarms + 1)
        }
        expect(nth).toBeLessThan(MOST_CALLS)
      }
      disk.failNoMore()
      expect((await get('read')).body.equals(content)).toBe(true)
    }
    await expectTidy()
  })

  test('of the sweep behind a deletion: the row is gone at once, the bytes when the disk lets them', async () => {
    const swept = async (inARow: number) => {
      await put('gone', randomBytes(10))
      disk.failNth(1, code, inARow)
      expect((await send('DELETE', '/object/b/gone')).status).toBe(200)
      const { outbox } = await sweeper.sweepOnce({ scan: false })
      disk.failNoMore()
      expect(disk.failed()?.name).toBe('unlink')
      await expectContent('gone', null)
      return outbox
    }
    // all at once, then one by one
    expect(await swept(1)).toMatchObject({ removed: 1, postponed: 0 })
    expect(await swept(2)).toMatchObject({ removed: 0, postponed: 1 })
    await owner.query('update stowage.outbox set retry_at = clock_timestamp()')
    await expectTidy()
  })

  test('of a listing of the store: nothing is removed, and the next one is fine', async () => {
    const content = randomBytes(10)
    await put('listed', content)
    for (const nth of [1, 2, 3]) {
      disk.failNth(nth, code)
      await expect(sweeper.sweepOnce({ scan: true })).rejects.toMatchObject({ name: 'StoreFailed' })
      expect(disk.failed()?.name).toBe('readdir')
      disk.failNoMore()
      await expectContent('listed', content)
    }
    await expectTidy()
  })
})

test('bytes that came in while their reservation waited go with it, when the sender leaves', async () => {
  const before = await storedVersions()
  const holder = await service.database.connect()
  await holder.query('begin; lock table stowage.intents in access exclusive mode')
  const leaving = new AbortController()
  const upload = fetch(`${service.url}/object/b/left`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${SERVICE_KEY}` },
    // without a length that is known before, the version is reserved while the bytes come in
    body: new Blob([randomBytes(1_000)]).stream(),
    duplex: 'half',
    signal: leaving.signal,
  } as RequestInit).catch(() => 'left')
  disk.failNth(Number.POSITIVE_INFINITY, '')
  // the last call of a put: its folder is flushed and closed
  await expect.poll(() => disk.calls().at(-1)).toMatchObject({ name: 'close', flags: 'r' })
  await expect.poll(async () => (await storedVersions()).length).toBe(before.length + 1)
  const waiting = async () =>
    (
      await owner.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like '/* ledger.reserve%'`,
      )
    ).rowCount
  await expect.poll(waiting).toBe(1)
  leaving.abort()
  expect(await upload).toBe('left')
  // it was heard that nobody waits; with the lock let go before that, the upload would come to its end
  await expect.poll(waiting).toBe(0)
  await holder.query('rollback')
  await expect.poll(storedVersions).toEqual(before)
  await expectTidy()
})

describe('a disk that does not answer', () => {
  test.each(['open', 'mkdir', 'write', 'fsync', 'close', 'unlink'])(
    'to %s: an upload is turned away in time, reads of others go on',
    async (name) => {
      const kept = randomBytes(1_000)
      await put('kept', kept)
      // a folder is made for what comes in a second that nothing has come in
      if (name === 'mkdir') await sleep(1_010 - (Date.now() % 1_000))
      const thaw = disk.freeze(name)
      try {
        const began = performance.now()
        const uploads = await Promise.all(
          Array.from({ length: 5 }, (_, i) =>
            // a file that is longer than announced makes an upload that has to be unlinked
            name === 'unlink'
              ? send('PUT', `/object/b/frozen-${i}`, randomBytes(300_000), { 'content-md5': randomBytes(16).toString('base64') })
              : put(`frozen-${i}`, randomBytes(i % 2 === 0 ? 300_000 : 3_000)),
          ),
        )
        expect(performance.now() - began).toBeLessThan(6_000 * crowd())
        for (const { status, body, headers } of uploads) {
          if (name === 'unlink') {
            expect(JSON.parse(body.toString()).code).toBe('BadDigest')
            continue
          }
          expect(JSON.parse(body.toString()).code).toBe('StoreBusy')
          expect(status).toBe(503)
          expect(headers.get('retry-after')).toBe('1')
        }
        if (!['open', 'close'].includes(name)) await expectContent('kept', kept)
      } finally {
        thaw()
      }
      await expect.poll(() => disk.openFiles()).toEqual([])
      expect((await put('after', kept)).status).toBe(200)
      await expectTidy()
    },
  )

  test('to read: the request is turned away in time, or its answer cut off', async () => {
    const content = randomBytes(16_000_000)
    await put('slow', content)
    await put('slow-small', randomBytes(700))
    const begun = await fetch(`${service.url}/object/b/slow`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } })
    const thaw = disk.freeze('read')
    try {
      const startedAt = performance.now()
      for (const key of ['slow', 'slow-small']) expect(await get(key)).toMatchObject({ status: 503 })
      await expect(begun.arrayBuffer()).rejects.toThrow()
      expect(performance.now() - startedAt).toBeLessThan(6_000 * crowd())
    } finally {
      thaw()
    }
    await expect.poll(() => disk.openFiles()).toEqual([])
    await expectContent('slow', content)
  })
})
