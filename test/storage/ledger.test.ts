import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { VersionId } from '../../src/bytes/byte-store.ts'
import { PgError } from '../../src/pg/pg-error.ts'
import { bytes, milliseconds } from '../../src/std/brand.ts'
import * as ledger from '../../src/storage/rows/ledger.sql.ts'
import { crowd } from '../support/crowd.ts'
import { type StorageDatabase, service, storageDatabase } from './storage-database.ts'

let database: StorageDatabase
beforeAll(async () => {
  database = await storageDatabase('ledger')
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.service('delete from storage.objects')
  await database.service('delete from stowage.outbox')
  await database.service('delete from stowage.intents')
  await database.service('delete from stowage.versions')
  await database.service(`insert into storage.buckets (id, name) values ('b', 'b') on conflict do nothing`)
})

const newVersion = () => randomUUID() as VersionId

const publication = (version: VersionId, key: string, more: Partial<ledger.Publication> = {}): ledger.Publication => ({
  version,
  bucketId: 'b',
  key,
  ownerId: null,
  metadata: '{"size":3}',
  userMetadata: null,
  stored: { size: bytes(3), md5: 'ab'.repeat(16), sha256: 'cd'.repeat(32), crc32: 0xabcd_ef01 },
  ...more,
})

const run = async (statement: Parameters<StorageDatabase['as']>[1][number]) => (await database.as(service, [statement]))[0]?.[0]
const outbox = () => database.service('select version, reason from stowage.outbox order by queued_at')
const current = async () => (await database.service('select version from stowage.versions order by stored_at')).flat()
const reserved = async (key: string, bucketId = 'b') => {
  const version = newVersion()
  await database.as(service, [ledger.reserveVersion(version, bucketId, key)])
  return version
}

describe('publishing', () => {
  test('a create takes the intent, makes the row and records what was stored', async () => {
    const version = await reserved('k')
    const row = await run(ledger.publishNew(publication(version, 'k', { ownerId: 'A0000000-0000-4000-8000-00000000000A' })))
    expect(row?.[0]).toBe('t')
    const rows = await database.service(`
      select o.id, o.version, o.owner, o.owner_id, v.object_id, v.size, encode(v.md5, 'hex'), encode(v.sha256, 'hex')
        from storage.objects o join stowage.versions v on v.version::text = o.version`)
    expect(rows).toEqual([
      [
        row?.[1],
        version,
        'a0000000-0000-4000-8000-00000000000a',
        'A0000000-0000-4000-8000-00000000000A',
        row?.[1],
        '3',
        'ab'.repeat(16),
        'cd'.repeat(32),
      ],
    ])
    expect(await database.service('select count(*) from stowage.intents')).toEqual([['0']])
  })

  test('without its intent nothing is written', async () => {
    const version = newVersion()
    for (const publish of [ledger.publishNew, ledger.publishOver])
      expect(await run(publish(publication(version, 'k')))).toEqual(['f', null, null, null])
    expect(await database.service('select count(*) from storage.objects')).toEqual([['0']])
    expect(await outbox()).toEqual([])
  })

  test('a second publish of one version says that the intent is gone, so an unknown outcome can be asked after', async () => {
    const version = await reserved('k')
    await run(ledger.publishOver(publication(version, 'k')))
    expect(await run(ledger.publishOver(publication(version, 'k')))).toEqual(['f', null, null, null])
    expect(await current()).toEqual([version])
    expect(await outbox()).toEqual([])
  })

  test('fifty creates of one key: one row, and the bytes of the others are queued', async () => {
    const versions = await Promise.all(Array.from({ length: 50 }, () => reserved('k')))
    const rows = await Promise.all(versions.map((version) => run(ledger.publishNew(publication(version, 'k')))))
    const winners = versions.filter((_, i) => rows[i]?.[1] !== null)
    expect(winners).toHaveLength(1)
    expect(rows.every((row) => row?.[0] === 't')).toBe(true)
    expect(await database.service('select version from storage.objects')).toEqual([winners])
    expect(await current()).toEqual(winners)
    expect((await outbox()).map(([version]) => version).sort()).toEqual(versions.filter((version) => !winners.includes(version)).sort())
  })

  test('fifty replacements of one key: all succeed, one is current, updated_at never goes back', async () => {
    const versions = await Promise.all(Array.from({ length: 50 }, () => reserved('k')))
    const rows = await Promise.all(versions.map((version) => run(ledger.publishOver(publication(version, 'k')))))
    expect(new Set(rows.map((row) => row?.[1])).size).toBe(1)
    expect(new Set(rows.map((row) => row?.[3])).size).toBe(50)
    const last = rows
      .map((row) => String(row?.[3]))
      .sort()
      .at(-1)
    const [[version, updatedAt] = []] = await database.service('select version, updated_at from storage.objects')
    expect(updatedAt).toBe(last)
    expect(await current()).toEqual([version])
    expect(await outbox()).toHaveLength(49)
  })

  test('a replacement keeps id, created_at, and owner and user metadata unless it brings its own', async () => {
    const first = await reserved('k')
    const [, id, createdAt] = (await run(ledger.publishNew(publication(first, 'k', { ownerId: 'someone', userMetadata: '{"a":1}' })))) ?? []
    const second = await run(ledger.publishOver(publication(await reserved('k'), 'k')))
    expect([second?.[1], second?.[2]]).toEqual([id, createdAt])
    expect(await database.service('select owner_id, user_metadata from storage.objects')).toEqual([['someone', '{"a": 1}']])
    await run(ledger.publishOver(publication(await reserved('k'), 'k', { ownerId: 'another', userMetadata: '{}' })))
    expect(await database.service('select owner_id, user_metadata from storage.objects')).toEqual([['another', '{}']])
  })

  test('a bucket that is gone refuses the row and keeps the intent', async () => {
    const version = await reserved('k', 'gone')
    const publish = run(ledger.publishNew(publication(version, 'k', { bucketId: 'gone' })))
    await expect(publish).rejects.toSatisfy((error) => error instanceof PgError && error.sqlstate === '23503')
    await run(ledger.abandonVersion(version))
    expect(await outbox()).toEqual([[version, 'abandoned']])
    await run(ledger.abandonVersion(version))
    expect(await outbox()).toHaveLength(1)
  })
})

describe('releasing', () => {
  const published = async (key: string) => {
    const version = await reserved(key)
    await run(ledger.publishNew(publication(version, key)))
    return version
  }

  test('every way to take a row away queues its version: delete, update, truncate, cascade', async () => {
    const [deleted, updated, cascaded, truncated] = [await published('a'), await published('b'), await published('c'), await published('d')]
    await database.service(`delete from storage.objects where name = 'a'`)
    await database.service(`update storage.objects set version = null where name = 'b'`)
    const client = await database.connect()
    await client.query(`
      alter table storage.objects add column folder int;
      create table public.folder (id int primary key);
      alter table storage.objects add constraint by_folder foreign key (folder) references public.folder on delete cascade;
      insert into public.folder values (1);
      update storage.objects set folder = 1 where name = 'c';
      set storage.allow_delete_query = 'true';
      delete from public.folder`)
    expect(await outbox()).toEqual([
      [deleted, 'deleted'],
      [updated, 'superseded'],
      [cascaded, 'deleted'],
    ])
    await client.query('truncate storage.objects')
    expect((await outbox()).at(-1)).toEqual([truncated, 'deleted'])
    expect(await current()).toEqual([])
    await client.query('alter table storage.objects drop column folder; drop table public.folder')
  })

  test('what a dry run releases is released by nobody', async () => {
    const version = await published('k')
    await database.as(service, [{ text: 'delete from storage.objects', values: [] }], { end: 'roll back' })
    expect(await outbox()).toEqual([])
    expect(await current()).toEqual([version])
  })

  test('rows put in by hand release nothing, not even with the version of another object', async () => {
    const version = await published('k')
    await database.service(`
      insert into storage.objects (bucket_id, name, version)
      values ('b', 'none', null), ('b', 'text', '../../etc'), ('b', 'number', '1'), ('b', 'unknown', gen_random_uuid()::text), ('b', 'thief', '${version}')`)
    await database.service(`update storage.objects set version = 'y' where name = 'thief'`)
    await database.service(`update storage.objects set version = '${version}' where name = 'thief'`)
    await database.service(`delete from storage.objects where name <> 'k'`)
    expect(await outbox()).toEqual([])
    expect(await current()).toEqual([version])
  })

  test('callers release by deleting, and see nothing of the ledger', async () => {
    const version = await published('k')
    const client = await database.connect()
    await client.query(`create policy "all" on storage.objects for all to authenticated using (true)`)
    const user = { role: 'authenticated', subject: 'u' }
    await database.as(user, [{ text: 'delete from storage.objects', values: [] }])
    expect(await outbox()).toEqual([[version, 'deleted']])
    for (const table of ['intents', 'versions', 'outbox', 'suspects', 'store_marker', 'leases'])
      await expect(database.as(user, [{ text: `select from stowage.${table}`, values: [] }])).rejects.toThrow(
        /permission denied for schema stowage/,
      )
    await expect(database.as(user, [{ text: 'truncate storage.objects', values: [] }])).rejects.toThrow(/permission denied/)
    await client.query(`drop policy "all" on storage.objects`)
  })

  test('thousands of rows in one statement', async () => {
    await database.service(`
      with made as (
        insert into storage.objects (bucket_id, name, version) select 'b', 'n/' || n, gen_random_uuid()::text from generate_series(1, 5000) n returning id, version
      )
      insert into stowage.versions (version, object_id, size, md5, sha256)
      select version::uuid, id, 0, decode(repeat('00', 16), 'hex'), decode(repeat('00', 32), 'hex') from made`)
    const started = performance.now()
    await database.service('delete from storage.objects')
    expect(performance.now() - started).toBeLessThan(2_000 * crowd())
    expect(await database.service('select count(*) from stowage.outbox')).toEqual([['5000']])
  })
})

describe('the outbox', () => {
  test('only intents that nobody renewed expire', async () => {
    const [old, renewed] = [await reserved('a'), await reserved('b')]
    await database.service(`update stowage.intents set renewed_at = renewed_at - interval '2 hours'`)
    await run(ledger.renewVersions([renewed]))
    expect(await run(ledger.countExpiredIntents(milliseconds(3_600_000)))).toEqual(['1'])
    expect(await run(ledger.expireIntents(milliseconds(3_600_000)))).toEqual(['1'])
    expect(await outbox()).toEqual([[old, 'expired']])
    expect(await run(ledger.publishOver(publication(old, 'a')))).toEqual(['f', null, null, null])
    expect((await run(ledger.publishOver(publication(renewed, 'b'))))?.[0]).toBe('t')
  })

  test('versions come due in order, once, and wait longer after each failure', async () => {
    const versions = await Promise.all(['a', 'b', 'c'].map((key) => reserved(key)))
    for (const version of versions) await run(ledger.abandonVersion(version))
    const [first, second, third] = versions.sort()
    const next = async (after: VersionId | undefined, delayMs = 0) =>
      (await database.as(service, [ledger.nextOutbox(after ?? null, milliseconds(delayMs), 2)]))[0]?.map(([version, mayGo]) =>
        mayGo === 't' ? version : `${version} stays`,
      )
    expect(await next(undefined)).toEqual([first, second])
    expect(await next(second)).toEqual([third])
    expect(await next(undefined, 60_000)).toEqual([])
    await run(ledger.postponeOutbox(versions.slice(0, 1)))
    expect(await next(undefined)).toEqual([second, third])
    await run(ledger.forgetOutbox(versions.slice(1)))
    expect(await next(undefined)).toEqual([])
    expect(await database.service('select attempts from stowage.outbox')).toEqual([['1']])
  })

  test('what the ledger answers for again may not go, and holds up no other', async () => {
    const [kept, gone] = [await reserved('kept'), await reserved('gone')]
    await run(ledger.publishNew(publication(kept, 'kept')))
    await run(ledger.abandonVersion(gone))
    await database.service(`insert into stowage.outbox (version, reason) values ('${kept}', 'orphaned')`)
    const [rows] = await database.as(service, [ledger.nextOutbox(null, milliseconds(0), 2)])
    expect(rows).toEqual([[kept, 'f'] as const, [gone, 't'] as const].sort(([a], [b]) => (a < b ? -1 : 1)))
  })

  test('a page of it costs the same, however long it is', async () => {
    const pagesOf = async (entries: number): Promise<number> => {
      await database.service(
        `insert into stowage.outbox (version, reason, queued_at) select gen_random_uuid(), 'deleted', now() - interval '1 day' from generate_series(1, $1::integer)`,
        String(entries),
      )
      const owner = await database.connect()
      await owner.query('vacuum analyze stowage.outbox')
      const { text, values } = ledger.nextOutbox(null, milliseconds(0), 100)
      const { rows } = await owner.query(`explain (analyze, buffers, format json) ${text}`, [...values])
      const plan = rows[0]['QUERY PLAN'][0].Plan
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    }
    const short = await pagesOf(1_000)
    expect(await pagesOf(49_000)).toBeLessThan(2 * short)
  })
})
