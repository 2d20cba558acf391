import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ByteStore, VersionId } from '../../../src/bytes/byte-store.ts'
import { createFsByteStore } from '../../../src/bytes/fs.ts'
import { createFsStoreMarker, type StoreMarker } from '../../../src/bytes/store-marker.ts'
import { createFsStoreNote, type StoreNote } from '../../../src/bytes/store-note.ts'
import { milliseconds, roleName } from '../../../src/std/brand.ts'
import { abandonVersion, publishNew, publishOver, renewVersions, reserveVersion } from '../../../src/storage/rows/ledger.sql.ts'
import { readSeenDatabase, type SeenDatabase } from '../../../src/storage/sweep/database-identity.ts'
import { holdRemovals, releaseRemovals } from '../../../src/storage/sweep/hold.ts'
import { createInFlight } from '../../../src/storage/sweep/in-flight.ts'
import { identifyStore } from '../../../src/storage/sweep/store-identity.ts'
import type { AsService, Run, SweepOptions } from '../../../src/storage/sweep/sweep-options.ts'
import { createSweeper, type SweepObservation } from '../../../src/storage/sweep/sweeper.ts'
import { never, newVersion, put, read } from '../../bytes/byte-store.contract.ts'
import { type StorageDatabase, service, storageDatabase } from '../storage-database.ts'

let database: StorageDatabase
let folder: string
let bytes: ByteStore
let marker: StoreMarker
let note: StoreNote<SeenDatabase>
beforeAll(async () => {
  database = await storageDatabase('sweeper')
  await database.service(`insert into storage.buckets (id, name) values ('b', 'b')`)
})
afterAll(() => database.drop())

beforeEach(async () => {
  await database.service('delete from storage.objects')
  for (const table of ['versions', 'intents', 'outbox', 'suspects', 'leases', 'store_marker'])
    await database.service(`delete from stowage.${table}`)
  folder = await mkdtemp(join(tmpdir(), 'stowage-sweep-'))
  bytes = createFsByteStore({ folder, maxConcurrentSyncs: 4 })
  marker = createFsStoreMarker(folder)
  note = createFsStoreNote(folder, 'stowage-database', readSeenDatabase)
  expect(await identifyStore({ asService, bytes, marker, newId: randomUUID }, never)).toEqual({ kind: 'adopted' })
  return () => rm(folder, { recursive: true, force: true })
})

const asService: AsService = (batch, signal) =>
  database.pool.run(
    {
      ...batch,
      as: { role: roleName('service_role'), subject: null, claims: '{}', token: '' },
      settings: [['storage.allow_delete_query', 'true']],
    },
    signal,
  )

const OPTIONS: SweepOptions = {
  intervalMs: milliseconds(10),
  graceMs: milliseconds(3_600_000),
  readerGraceMs: milliseconds(0),
  scanIntervalMs: milliseconds(3_600_000),
  maxOrphanShare: 0.01,
  maxOrphans: 1000,
}

function sweeperWith(options: Partial<SweepOptions> = {}, more: { bytes?: ByteStore; asService?: AsService } = {}) {
  const observed: SweepObservation[] = []
  const inFlight = createInFlight()
  const sweeper = createSweeper({
    asService,
    bytes,
    ...more,
    marker,
    note,
    inFlight,
    newId: randomUUID,
    options: { ...OPTIONS, ...options },
    observe: (observation) => observed.push(observation),
  })
  return { ...sweeper, observed, inFlight }
}

const metadata = { ownerId: null, metadata: '{}', userMetadata: null, bucketId: 'b' }

async function upload(key: string, replace = false): Promise<VersionId> {
  const version = newVersion()
  await database.as(service, [reserveVersion(version, 'b', key)])
  const stored = await put(bytes, version, Buffer.from(version))
  const publish = replace ? publishOver : publishNew
  const [[row] = []] = await database.as(service, [publish({ ...metadata, version, key, stored })])
  expect(row?.[0]).toBe('t')
  return version
}

const ageIntents = () => database.service(`update stowage.intents set renewed_at = renewed_at - interval '2 hours'`)
const ageSuspects = () => database.service(`update stowage.suspects set first_seen_at = first_seen_at - interval '2 hours'`)
const stored = () => bytes.list(null, 10_000)

describe('the outbox', () => {
  test('what was overwritten or deleted goes, what is current stays', async () => {
    await upload('a')
    const current = await upload('a', true)
    await upload('b')
    await database.service(`delete from storage.objects where name = 'b'`)
    expect(await sweeperWith().sweepOnce()).toMatchObject({ idle: null, expired: 0, outbox: { removed: 2, postponed: 0 } })
    expect(await stored()).toEqual([current])
    expect(await database.service('select * from stowage.outbox')).toEqual([])
    expect((await read(bytes, current)).toString()).toBe(current)
  })

  test('fifty overwriters of one key leave one version', async () => {
    const versions = await Promise.all(Array.from({ length: 50 }, () => upload('k', true)))
    expect((await sweeperWith().sweepOnce()).outbox.removed).toBe(49)
    const [[current] = []] = await database.service('select version from storage.objects')
    expect(versions).toContain(current)
    expect(await stored()).toEqual([current])
  })

  test('readers get their time, and a reader who has begun reads on', async () => {
    const version = await upload('a')
    const body = await bytes.get(version, { range: null, signal: never })
    await database.service('delete from storage.objects')
    expect((await sweeperWith({ readerGraceMs: milliseconds(30_000) }).sweepOnce()).outbox.removed).toBe(0)
    expect(await stored()).toEqual([version])
    expect((await sweeperWith().sweepOnce()).outbox.removed).toBe(1)
    expect((await buffer(body)).toString()).toBe(version)
  })

  test('thousands, in batches', async () => {
    await database.service(
      'insert into stowage.outbox (version, reason) select gen_random_uuid(), $1 from generate_series(1, 2300)',
      'deleted',
    )
    expect((await sweeperWith().sweepOnce()).outbox.removed).toBe(2300)
    expect(await database.service('select count(*) from stowage.outbox')).toEqual([['0']])
  })

  test('a version the store will not remove holds up no other, and is tried again later', async () => {
    const versions = await Promise.all(['a', 'b', 'c'].map((key) => upload(key)))
    const [stubborn] = versions.sort()
    await database.service('delete from storage.objects')
    const faulty: ByteStore = {
      ...bytes,
      delete: async (gone) => {
        if (gone.includes(stubborn as VersionId)) throw new Error('EIO')
        return bytes.delete(gone)
      },
    }
    expect((await sweeperWith({}, { bytes: faulty }).sweepOnce()).outbox).toMatchObject({ removed: 2, postponed: 1 })
    expect(await database.service('select version, attempts, retry_at > clock_timestamp() from stowage.outbox')).toEqual([
      [stubborn, '1', 't'],
    ])
    expect((await sweeperWith().sweepOnce()).outbox.removed).toBe(0)
    await database.service(`update stowage.outbox set retry_at = '-infinity'`)
    expect((await sweeperWith().sweepOnce()).outbox.removed).toBe(1)
    expect(await stored()).toEqual([])
  })

  test('a store that refuses everything is not asked a thousand times', async () => {
    await database.service(
      'insert into stowage.outbox (version, reason) select gen_random_uuid(), $1 from generate_series(1, 1200)',
      'deleted',
    )
    let asked = 0
    const down: ByteStore = {
      ...bytes,
      delete: async () => {
        asked++
        throw new Error('down')
      },
    }
    expect((await sweeperWith({}, { bytes: down }).sweepOnce()).outbox).toMatchObject({ removed: 0, postponed: 10 })
    expect(asked).toBe(11)
    expect((await sweeperWith().sweepOnce()).outbox.removed).toBe(1190)
  })

  test('a crash between removing and forgetting is repeated without harm', async () => {
    await upload('a')
    await database.service('delete from storage.objects')
    let trips = 0
    const crashing: AsService = (batch, signal) => {
      if (batch.statements.some(({ text }) => text.includes('ledger.forget_outbox')) && trips++ === 0) throw new Error('connection lost')
      return asService(batch, signal)
    }
    const sweeper = sweeperWith({}, { asService: crashing })
    await expect(sweeper.sweepOnce()).rejects.toThrow('connection lost')
    expect(await stored()).toEqual([])
    expect((await sweeper.sweepOnce()).outbox.removed).toBe(1)
  })

  test('an entry for current bytes removes nothing, however it got there', async () => {
    const version = await upload('a')
    await database.service(`insert into stowage.outbox (version, reason) values ($1::uuid, 'deleted')`, version)
    await sweeperWith().sweepOnce()
    expect(await stored()).toEqual([version])
  })
})

describe('reservations', () => {
  test('a crash between the first byte and the row is swept after the grace', async () => {
    const version = newVersion()
    await database.as(service, [reserveVersion(version, 'b', 'k')])
    await put(bytes, version, randomBytes(10))
    expect(await sweeperWith().sweepOnce()).toMatchObject({ expired: 0, outbox: { removed: 0 } })
    expect(await stored()).toEqual([version])
    await ageIntents()
    expect(await sweeperWith().sweepOnce()).toMatchObject({ expired: 1, outbox: { removed: 1 } })
    expect(await stored()).toEqual([])
  })

  test('an upload of this process that takes longer than the grace is left alone', async () => {
    const sweeper = sweeperWith()
    const version = newVersion()
    await database.as(service, [reserveVersion(version, 'b', 'k')])
    const release = sweeper.inFlight.hold(version)
    await ageIntents()
    expect(await sweeper.sweepOnce()).toMatchObject({ expired: 0 })
    release()
    await ageIntents()
    expect(await sweeper.sweepOnce()).toMatchObject({ expired: 1 })
  })

  test('publishing and sweeping one reservation: exactly one of them has it', async () => {
    for (let i = 0; i < 30; i++) {
      const version = newVersion()
      await database.as(service, [reserveVersion(version, 'b', `k${i}`)])
      const fingerprint = await put(bytes, version, Buffer.from(version))
      await ageIntents()
      const [[[row] = []], report] = await Promise.all([
        database.as(service, [publishNew({ ...metadata, version, key: `k${i}`, stored: fingerprint })]),
        sweeperWith().sweepOnce(),
      ])
      expect(row?.[0] === 't' ? 0 : 1).toBe(report.expired)
    }
    const current = (await database.service('select version from storage.objects order by version')).flat()
    await sweeperWith().sweepOnce()
    expect(await stored()).toEqual(current)
  })

  test('giving up is swept without waiting for the grace', async () => {
    const version = newVersion()
    await database.as(service, [reserveVersion(version, 'b', 'k')])
    await put(bytes, version, randomBytes(10))
    await database.as(service, [abandonVersion(version), renewVersions([version])])
    expect((await sweeperWith().sweepOnce()).outbox.removed).toBe(1)
    expect(await stored()).toEqual([])
  })
})

describe('the listing of the store', () => {
  const orphan = async () => {
    const version = newVersion()
    await put(bytes, version, Buffer.from(version))
    return version
  }

  test('an unknown version goes when two listings a grace apart agree; what is current, waiting or arriving stays', async () => {
    const current = await upload('a')
    const arriving = newVersion()
    await database.as(service, [reserveVersion(arriving, 'b', 'k')])
    await put(bytes, arriving, randomBytes(10))
    const lost = await orphan()
    expect((await sweeperWith().sweepOnce({ scan: true })).scan).toEqual({ stored: 3, missing: 0, unknown: 1, condemned: 0, refused: null })
    expect((await sweeperWith().sweepOnce({ scan: true })).scan?.condemned).toBe(0)
    await ageSuspects()
    expect(await sweeperWith().sweepOnce({ scan: true })).toMatchObject({ scan: { unknown: 1, condemned: 1 }, outbox: { removed: 1 } })
    expect(await stored()).toEqual([current, arriving].sort())
    expect(await stored()).not.toContain(lost)
  })

  test('a suspect that turns out to be known is cleared', async () => {
    await upload('a')
    const version = await orphan()
    await sweeperWith().sweepOnce({ scan: true })
    await ageSuspects()
    await database.as(service, [reserveVersion(version, 'b', 'late')])
    expect((await sweeperWith().sweepOnce({ scan: true })).scan).toMatchObject({ unknown: 0, condemned: 0 })
    expect(await database.service('select * from stowage.suspects')).toEqual([])
    expect(await stored()).toContain(version)
  })

  test('a row that names the version saves it, even where the ledger has lost it', async () => {
    const version = await upload('a')
    await upload('b')
    await database.service('delete from stowage.versions where version = $1::uuid', version)
    await sweeperWith().sweepOnce({ scan: true })
    await ageSuspects()
    expect((await sweeperWith().sweepOnce({ scan: true })).scan).toMatchObject({ unknown: 1, condemned: 0 })
    expect(await stored()).toContain(version)
  })

  test('a deletion that no trigger saw is found', async () => {
    const version = await upload('a')
    await upload('b')
    const client = await database.connect()
    await client.query(`set session_replication_role = replica; delete from storage.objects where name = 'a'`)
    await client.end()
    await sweeperWith().sweepOnce({ scan: true })
    await ageSuspects()
    expect((await sweeperWith().sweepOnce({ scan: true })).scan?.condemned).toBe(1)
    expect(await stored()).not.toContain(version)
  })

  test('too many unknown versions: nothing is condemned, and why is said, until a person decides', async () => {
    await upload('a')
    await Promise.all(Array.from({ length: 11 }, orphan))
    const sweeper = sweeperWith()
    const refusal = (await sweeper.sweepOnce({ scan: true })).scan
    expect(refusal?.refused).toMatch(/more than 10 stored versions are unknown/)
    expect(await database.service('select count(*) from stowage.suspects')).toEqual([['0']])
    await sweeper.sweepOnce({ scan: true, beyondLimits: true })
    await ageSuspects()
    expect(await sweeper.sweepOnce({ scan: true, beyondLimits: true })).toMatchObject({ scan: { condemned: 11 }, outbox: { removed: 11 } })
    expect(await stored()).toHaveLength(1)
  })

  test('an empty store, or one that lacks much of what it should hold, is not trusted', async () => {
    const versions = await Promise.all(Array.from({ length: 20 }, (_, i) => upload(`k${i}`)))
    const lost = await orphan()
    await sweeperWith().sweepOnce({ scan: true })
    await ageSuspects()
    await bytes.delete(versions.slice(0, 15))
    expect((await sweeperWith().sweepOnce({ scan: true })).scan).toMatchObject({
      missing: 15,
      condemned: 0,
      refused: expect.stringMatching(/bytes of 15 of 20 objects/),
    })
    expect(await stored()).toContain(lost)
    await bytes.delete([...versions, lost])
    expect((await sweeperWith().sweepOnce({ scan: true })).scan?.refused).toMatch(/the store is empty, but 20 objects/)
  })

  test('is done once in an interval by all processes together, and again after the grace while there are suspects', async () => {
    const due = () => sweeperWith().sweepOnce()
    expect((await due()).scan).not.toBe(null)
    expect((await due()).scan).toBe(null)
    await database.service(`update stowage.leases set expires_at = clock_timestamp() - interval '1 second'`)
    await orphan()
    expect((await sweeperWith({ graceMs: milliseconds(1) }).sweepOnce()).scan?.unknown).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await sweeperWith({ graceMs: milliseconds(1) }).sweepOnce()).scan?.condemned).toBe(1)
    expect(await stored()).toEqual([])
  })

  test('two thousand versions, over several pages', async () => {
    await Promise.all(Array.from({ length: 2050 }, orphan))
    await database.service(
      `
      with row as (insert into storage.objects (bucket_id, name, version) select 'b', v, v from unnest($1::text[]) v returning id, version)
      insert into stowage.versions (version, object_id, size, md5, sha256)
      select version::uuid, id, 36, decode(repeat('00', 16), 'hex'), decode(repeat('00', 32), 'hex') from row`,
      `{${(await stored()).join(',')}}`,
    )
    await orphan()
    expect((await sweeperWith().sweepOnce({ scan: true })).scan).toEqual({
      stored: 2051,
      missing: 0,
      unknown: 1,
      condemned: 0,
      refused: null,
    })
    await ageSuspects()
    expect((await sweeperWith().sweepOnce({ scan: true })).scan?.condemned).toBe(1)
    expect(await stored()).toHaveLength(2050)
  })
})

describe('a dry run', () => {
  test('says what would happen and changes nothing', async () => {
    const overwritten = await upload('a')
    await upload('a', true)
    const [reserved, unknown] = [newVersion(), newVersion()]
    await database.as(service, [reserveVersion(reserved, 'b', 'k')])
    await ageIntents()
    await put(bytes, unknown, randomBytes(1))
    const before = [
      await stored(),
      await database.service('select * from stowage.outbox'),
      await database.service('select * from stowage.intents'),
    ]
    expect(await sweeperWith().sweepOnce({ dryRun: true, scan: true })).toEqual({
      idle: null,
      dryRun: true,
      expired: 1,
      outbox: { removed: 0, postponed: 0, left: 1 },
      scan: { stored: 3, missing: 0, unknown: 1, condemned: 0, refused: null },
      foreseen: [
        { version: reserved, why: expect.stringMatching(/^its upload to b\/k was last heard of at /) },
        { version: overwritten, why: 'its object was overwritten' },
        { version: unknown, why: expect.stringMatching(/^nothing has answered for it since /) },
      ],
    })
    expect([
      await stored(),
      await database.service('select * from stowage.outbox'),
      await database.service('select * from stowage.intents'),
    ]).toEqual(before)
    expect(await database.service('select * from stowage.suspects')).toEqual([])
    expect(await note.read()).toBe(null)
  })
})

/** Everything that a sweeper could remove, ready to go: what was overwritten, what an upload left, what nobody knows. */
async function ripe(): Promise<{ current: VersionId; doomed: readonly VersionId[] }> {
  await Promise.all(Array.from({ length: 40 }, (_, i) => upload(`kept ${i}`)))
  const overwritten = await upload('a')
  const current = await upload('a', true)
  const [broken, unknown] = [newVersion(), newVersion()]
  await database.as(service, [reserveVersion(broken, 'b', 'k')])
  await put(bytes, broken, randomBytes(10))
  await put(bytes, unknown, randomBytes(10))
  await sweeperWith({ readerGraceMs: milliseconds(1e9) }).sweepOnce({ scan: true })
  await ageIntents()
  await ageSuspects()
  return { current, doomed: [overwritten, broken, unknown] }
}

/** A disk is what is not known of, so a listing is as good as any other. */
const pass = async (more: Parameters<typeof sweeperWith>[1] = {}) => sweeperWith({}, more).sweepOnce({ scan: true })

describe('a sweeper that is lied to removes nothing and says why', () => {
  const removesNothing = async (work: () => Promise<unknown>) => {
    const before = await stored()
    const outcome = await work()
    expect(await stored()).toEqual(before)
    return outcome
  }

  test('an empty folder in the place of the store', async () => {
    await ripe()
    const empty = await mkdtemp(join(tmpdir(), 'stowage-empty-'))
    const [real, realMarker] = [bytes, marker]
    bytes = createFsByteStore({ folder: empty, maxConcurrentSyncs: 1 })
    marker = createFsStoreMarker(empty)
    expect(await pass()).toMatchObject({ idle: 'the store has no mark: is its disk mounted?', outbox: { removed: 0 }, scan: null })
    ;[bytes, marker] = [real, realMarker]
    expect(await database.service('select count(*) from stowage.outbox')).toEqual([['1']])
    await rm(empty, { recursive: true })
  })

  test('the store of another database', async () => {
    await ripe()
    await removesNothing(async () => {
      await marker.write(randomUUID())
      expect(await pass()).toMatchObject({ idle: expect.stringMatching(/the database belongs to the store/), outbox: { removed: 0 } })
    })
  })

  test.each([0, 1])('a listing that fails after %i pages', async (pages) => {
    const { doomed } = await ripe()
    let asked = 0
    const failing: ByteStore = {
      ...bytes,
      list: async (_, limit) => {
        if (asked++ === pages) throw new Error('EIO')
        // a full page, so that there is another
        const all = (await bytes.list(null, limit)).filter((version) => version !== doomed[2])
        return Array.from({ length: limit }, (_, i) => all[i % all.length] as VersionId)
      },
    }
    await removesNothing(async () => expect(pass({ bytes: failing })).rejects.toThrow('EIO'))
    expect(await stored()).toEqual(expect.arrayContaining([...doomed]))
  })

  test.each([0, 1, 20])('a listing that ends after %i of 43 versions', async (shown) => {
    const { doomed } = await ripe()
    const short: ByteStore = { ...bytes, list: async () => (await bytes.list(null, 1000)).slice(0, shown) }
    const report = await pass({ bytes: short })
    expect(report.scan).toMatchObject({
      condemned: 0,
      refused: expect.stringMatching(shown === 0 ? /the store is empty/ : /are not in the store/),
    })
    // what the ledger itself let go is gone; what only a listing could condemn is there
    expect(await stored()).toContain(doomed[2])
  })

  test('a disk that goes away in the middle of a pass', async () => {
    await database.service(
      'insert into stowage.outbox (version, reason) select gen_random_uuid(), $1 from generate_series(1, 1200)',
      'deleted',
    )
    let asked = 0
    const vanishing: ByteStore = {
      ...bytes,
      delete: async (versions) => {
        asked += versions.length
        await rm(join(folder, 'stowage-store.json'), { force: true })
        return bytes.delete(versions)
      },
    }
    await sweeperWith({}, { bytes: vanishing }).sweepOnce()
    expect(asked).toBe(500)
    expect(await database.service('select count(*) from stowage.outbox')).toEqual([['700']])
  })

  test('but another process that notes a later state of the database in the middle of a look is no lie', async () => {
    expect((await sweeperWith().sweepOnce()).idle).toBe(null)
    let looked = 0
    const sweeper = sweeperWith(
      {},
      {
        asService: async (batch, signal) => {
          const rows = await asService(batch, signal)
          if (looked++ > 0) return rows
          const noted = await note.read()
          if (noted) await note.write({ ...noted, position: String(BigInt(noted.position) + 1_000_000n) })
          return rows
        },
      },
    )
    expect((await sweeper.sweepOnce()).idle).toBe(null)
    expect(looked).toBeGreaterThan(0)
  })

  test('an older state of the database: what was stored since has no row', async () => {
    await ripe()
    const seen = (await note.read()) as SeenDatabase
    expect(BigInt(seen.position)).toBeGreaterThan(0n)
    await note.write({ ...seen, position: String(BigInt(seen.position) + 10n ** 12n) })
    await removesNothing(async () => {
      expect(await pass()).toMatchObject({
        idle: expect.stringMatching(/gone back to an older state.*scrub.*--accept-database/),
        outbox: { removed: 0 },
      })
      // its log has come past the place, and still nobody has said that it is the right one
      await note.write({ ...seen, refused: (await note.read())?.refused ?? null })
      expect((await pass()).idle).toMatch(/gone back to an older state/)
      expect((await sweeperWith().sweepOnce({ dryRun: true, acceptDatabase: true })).idle).toBe(null)
      expect((await pass()).idle).toMatch(/gone back to an older state/)
    })
    expect(await sweeperWith().sweepOnce({ scan: true, acceptDatabase: true })).toMatchObject({
      idle: null,
      scan: { condemned: 1 },
      outbox: { removed: 3 },
    })
    expect((await pass()).idle).toBe(null)
    expect(await stored()).toHaveLength(41)
  })

  test.each([
    ['a dump that was read in', { table: '1' }],
    ['another cluster', { cluster: '7000000000000000000' }],
  ])('%s', async (_, changed) => {
    await ripe()
    await note.write({ ...((await note.read()) as SeenDatabase), ...changed })
    await removesNothing(async () => expect((await pass()).idle).toMatch(/another one than before/))
    expect((await sweeperWith().sweepOnce({ acceptDatabase: true })).outbox.removed).toBe(2)
  })

  test('a note that is broken is made anew, one that cannot be read stops the pass', async () => {
    await ripe()
    const file = join(folder, 'stowage-database.json')
    await writeFile(file, '{"table":')
    expect((await sweeperWith().sweepOnce()).idle).toBe(null)
    expect((await note.read())?.refused).toBe(null)
    await rm(file)
    await mkdir(file)
    await removesNothing(async () => expect(pass()).rejects.toThrow(/EISDIR/))
  })

  const TIMES = { intents: 'renewed_at', suspects: 'first_seen_at', outbox: 'queued_at' } as const
  const jump = async (interval: string) => {
    for (const [table, column] of Object.entries(TIMES))
      await database.service(`update stowage.${table} set ${column} = ${column} - interval '${interval}'`)
    await database.service(`update stowage.leases set expires_at = expires_at - interval '${interval}'`)
    await database.service(`update stowage.outbox set retry_at = retry_at - interval '${interval}' where isfinite(retry_at)`)
  }

  test('a clock that is set forward by thirty days: current bytes and uploads under way stay', async () => {
    const current = await upload('a')
    const sweeper = sweeperWith()
    const arriving = newVersion()
    await database.as(service, [reserveVersion(arriving, 'b', 'k')])
    sweeper.inFlight.hold(arriving)
    const fingerprint = await put(bytes, arriving, Buffer.from(arriving))
    await jump('30 days')
    expect(await sweeper.sweepOnce({ scan: true })).toMatchObject({
      expired: 0,
      outbox: { removed: 0 },
      scan: { unknown: 0, condemned: 0 },
    })
    expect(await stored()).toEqual([arriving, current].sort())
    const [[row] = []] = await database.as(service, [publishNew({ ...metadata, version: arriving, key: 'k', stored: fingerprint })])
    expect(row?.[0]).toBe('t')
  })

  test('a clock that is set back by thirty days: nothing goes too early, and no lease of before blocks for a month', async () => {
    const { current } = await ripe()
    await database.service(`insert into stowage.leases values ('sweep', gen_random_uuid(), clock_timestamp() + interval '1 minute')`)
    await database.service(`update stowage.outbox set attempts = 5, retry_at = clock_timestamp() + interval '32 seconds'`)
    await jump('-30 days')
    await removesNothing(async () => {
      // taken over, and everything is young again
      expect(await sweeperWith().sweepOnce()).toMatchObject({ idle: null, expired: 0, outbox: { removed: 0 }, scan: { condemned: 0 } })
    })
    await jump('30 days')
    expect((await pass()).outbox.removed).toBe(2)
    expect(await stored()).toContain(current)
  })

  test('a clock that jumps back and forth a second at every look', async () => {
    const { current, doomed } = await ripe()
    for (let i = 0; i < 20; i++) {
      await jump(i % 2 === 0 ? '1 second' : '-1 second')
      await pass()
    }
    expect(await stored()).toContain(current)
    expect(await stored()).toHaveLength(41)
    for (const version of doomed) expect(await stored()).not.toContain(version)
  })
})

describe('a hold', () => {
  const run: Run = (statements) => database.as(service, statements)
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

  test('keeps every process from removing anything until it ends or is ended', async () => {
    const { doomed } = await ripe()
    const until = await holdRemovals({ run, newId: randomUUID, sleep }, milliseconds(3_600_000))
    const held = await sweeperWith().sweepOnce({ scan: true })
    expect(held).toMatchObject({ idle: `removals are on hold until ${until}`, expired: 0, outbox: { removed: 0 }, scan: null })
    expect(await stored()).toEqual(expect.arrayContaining([...doomed]))
    expect((await sweeperWith().sweepOnce({ dryRun: true, scan: true })).foreseen).toHaveLength(3)
    expect(await releaseRemovals({ run })).toBe(true)
    expect(await releaseRemovals({ run })).toBe(false)
    expect((await pass()).outbox.removed).toBe(3)
  })

  test('of a backup that never came back ends by itself', async () => {
    await ripe()
    await holdRemovals({ run, newId: randomUUID, sleep }, milliseconds(1))
    await sleep(20)
    expect((await pass()).outbox.removed).toBe(3)
  })

  test('begins when the pass that is under way has ended', async () => {
    await database.service(
      'insert into stowage.outbox (version, reason) select gen_random_uuid(), $1 from generate_series(1, 1500)',
      'deleted',
    )
    let held: Promise<string | null> | undefined
    let removedSince = 0
    let isHeld = false
    const watched: ByteStore = {
      ...bytes,
      delete: async (versions) => {
        held ??= holdRemovals({ run, newId: randomUUID, sleep }, milliseconds(3_600_000)).then((until) => {
          isHeld = true
          return until
        })
        if (isHeld) removedSince += versions.length
        return bytes.delete(versions)
      },
    }
    await sweeperWith({}, { bytes: watched }).sweepOnce()
    expect(await held).toMatch(/^\d{4}-/)
    expect(removedSince).toBe(0)
  })
})

describe('the mark', () => {
  test('without it, or with another, nothing is removed', async () => {
    const version = await upload('a')
    await database.service('delete from storage.objects')
    await rm(join(folder, 'stowage-store.json'))
    expect(await sweeperWith().sweepOnce()).toMatchObject({ idle: 'the store has no mark: is its disk mounted?', outbox: { removed: 0 } })
    await marker.write(randomUUID())
    expect((await sweeperWith().sweepOnce()).idle).toMatch(/the database belongs to the store/)
    await database.service('delete from stowage.store_marker')
    expect((await sweeperWith().sweepOnce()).idle).toMatch(/belongs to none/)
    expect(await stored()).toEqual([version])
  })

  test('a start finds out whose store it is', async () => {
    const identify = (id = randomUUID()) => identifyStore({ asService, bytes, marker, newId: () => id }, never)
    const id = await marker.read()
    expect(await identify()).toEqual({ kind: 'same' })
    // a crash between the two marks
    await rm(join(folder, 'stowage-store.json'))
    expect(await identify()).toEqual({ kind: 'adopted' })
    expect(await marker.read()).toBe(id)
    // a new database beside a store that was never used
    await database.service('delete from stowage.store_marker')
    expect(await identify()).toEqual({ kind: 'adopted' })
    expect(await database.service('select store_id from stowage.store_marker')).toEqual([[id]])

    await upload('a')
    expect(await identify()).toEqual({ kind: 'same' })
    await rm(join(folder, 'stowage-store.json'))
    expect(await identify()).toMatchObject({ kind: 'mismatch', why: expect.stringMatching(/is its disk mounted/) })
    await marker.write(randomUUID())
    expect(await identify()).toMatchObject({ kind: 'mismatch', why: expect.stringMatching(/the database belongs to the store/) })
    await database.service('delete from stowage.store_marker')
    expect(await identify()).toMatchObject({ kind: 'mismatch', why: expect.stringMatching(/knows nothing of/) })
  })

  test('two first starts at once agree', async () => {
    await database.service('delete from stowage.store_marker')
    await rm(join(folder, 'stowage-store.json'))
    await Promise.all(Array.from({ length: 5 }, () => identifyStore({ asService, bytes, marker, newId: randomUUID }, never)))
    expect(await database.service('select store_id from stowage.store_marker')).toEqual([[await marker.read()]])
  })
})

describe('a running sweeper', () => {
  test('works by itself, one process at a time, and ends when it is stopped', async () => {
    const sweepers = [sweeperWith(), sweeperWith()]
    for (const { start } of sweepers) start()
    await upload('a')
    await database.service('delete from storage.objects')
    await expect.poll(stored).toEqual([])
    await Promise.all(sweepers.map(({ stop }) => stop()))
    const passes = sweepers.map(({ observed }) => observed.length)
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(sweepers.map(({ observed }) => observed.length)).toEqual(passes)
    expect(await database.service(`select name from stowage.leases where name = 'sweep'`)).toEqual([])
  })

  test('goes on after a failure, and tells of it', async () => {
    let broken = true
    const sweeper = sweeperWith(
      {},
      { asService: (batch, signal) => (broken ? Promise.reject(new Error('away')) : asService(batch, signal)) },
    )
    sweeper.start()
    await expect.poll(() => sweeper.observed.some(({ kind }) => kind === 'sweep failed')).toBe(true)
    broken = false
    await expect.poll(() => sweeper.observed.some(({ kind }) => kind === 'swept')).toBe(true)
    await sweeper.stop()
  })

  test('an idle pass writes nothing', async () => {
    await upload('a')
    await sweeperWith().sweepOnce()
    const statements: string[] = []
    const sweeper = sweeperWith(
      {},
      {
        asService: (batch, signal) => {
          statements.push(...batch.statements.map(({ text }) => text))
          return asService(batch, signal)
        },
      },
    )
    await sweeper.sweepOnce()
    expect(statements.map((text) => /\/\* (\S+)/.exec(text)?.[1])).toEqual(['sweep.find_work'])
  })

  test('the lease of a process that is gone ends by itself', async () => {
    await upload('a')
    await database.service('delete from storage.objects')
    await database.service(`insert into stowage.leases values ('sweep', gen_random_uuid(), clock_timestamp() + interval '1 minute')`)
    expect((await sweeperWith().sweepOnce()).idle).toBe('another process is sweeping')
    await database.service(`update stowage.leases set expires_at = clock_timestamp() - interval '1 second'`)
    expect((await sweeperWith().sweepOnce()).outbox.removed).toBe(1)
  })
})
