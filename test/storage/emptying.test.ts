import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AS_SERVICE } from '../../src/auth/authenticate.ts'
import { milliseconds } from '../../src/std/brand.ts'
import { createResumer } from '../../src/storage/bucket/resume-emptyings.ts'
import type { StorageDeps, StorageObservation } from '../../src/storage/deps.ts'
import { askedBucketId } from '../../src/storage/key.ts'
import * as emptyings from '../../src/storage/rows/emptyings.sql.ts'
import { type StorageDatabase, service, storageDatabase } from './storage-database.ts'

let database: StorageDatabase
beforeAll(async () => {
  database = await storageDatabase('emptying')
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.service('delete from storage.objects')
  await database.service('delete from stowage.emptyings')
  await database.service(`insert into storage.buckets (id, name) values ('b', 'b') on conflict do nothing`)
})

const B = askedBucketId('b')
const NOW = milliseconds(0)
const run = async (statement: Parameters<StorageDatabase['as']>[1][number]) => (await database.as(service, [statement]))[0]?.[0]
const promise = (bucket = B) => run(emptyings.requestEmptying(bucket, NOW))
const step = async (limit = 100) => emptyings.emptyingProgress(await run(emptyings.emptyingStep(B, limit, NOW)))
const insert = (...names: readonly string[]) =>
  database.service(`insert into storage.objects (bucket_id, name) select 'b', unnest($1::text[])`, `{${names.join(',')}}`)
const names = async () => (await database.service(`select name from storage.objects where bucket_id = 'b' order by name`)).flat()

describe('a step', () => {
  test('removes what was there, key by key, and ends the promise', async () => {
    await insert(...Array.from({ length: 25 }, (_, n) => `k${String(n).padStart(2, '0')}`))
    await promise()
    expect([await step(10), await step(10), await step(10), await step(10)]).toEqual([
      { removed: 10, done: false },
      { removed: 20, done: false },
      { removed: 25, done: true },
      null,
    ])
    expect(await names()).toEqual([])
  })

  test('leaves what was written, replaced or moved since, whatever its times say', async () => {
    await database.service(`insert into storage.buckets (id, name) values ('other', 'other') on conflict do nothing`)
    await insert('old', 'replaced', 'renamed')
    await database.service(`insert into storage.objects (bucket_id, name) values ('other', 'moved in')`)
    await database.service(
      `insert into storage.objects (bucket_id, name, created_at, updated_at) values ('b', 'from the future', '2100-01-01', '2100-01-01')`,
    )
    await promise()
    await database.service(
      `insert into storage.objects (bucket_id, name, created_at, updated_at) values ('b', 'backdated', '2001-01-01', '2001-01-01')`,
    )
    await database.service(`update storage.objects set version = '2' where name = 'replaced'`)
    await database.service(`update storage.objects set name = 'a new name' where name = 'renamed'`)
    await database.service(`update storage.objects set bucket_id = 'b' where name = 'moved in'`)
    expect(await step()).toEqual({ removed: 2, done: true })
    expect(await names()).toEqual(['a new name', 'backdated', 'moved in', 'replaced'])
  })

  test('leaves what was under way when it was promised, and what replaces a row that the step waits for', async () => {
    await insert('old', 'waited for')
    const writer = await database.connect()
    await writer.query('begin')
    await writer.query(`insert into storage.objects (bucket_id, name) values ('b', 'under way')`)
    await promise()
    await writer.query('commit')

    // many transactions later the row that the step waits for is newer than the step's own snapshot
    await writer.query('begin')
    await writer.query(`select from storage.objects where name = 'waited for' for update`)
    const stepping = step()
    await sleep(200)
    for (let n = 0; n < 50; n++) await database.service('select pg_current_xact_id()')
    await writer.query(`update storage.objects set version = '2' where name = 'waited for'`)
    await writer.query('commit')
    expect(await stepping).toEqual({ removed: 1, done: true })
    expect(await names()).toEqual(['under way', 'waited for'])
  })

  test('waits for a row whose writer gives up, and removes it', async () => {
    await insert('asked about')
    await promise()
    const writer = await database.connect()
    await writer.query('begin')
    await writer.query(`update storage.objects set version = '2' where name = 'asked about'`)
    const stepping = step()
    await sleep(100)
    await writer.query('rollback')
    expect(await stepping).toEqual({ removed: 1, done: true })
    expect(await names()).toEqual([])
  })

  test('finds rows without a name, which only SQL makes', async () => {
    await database.service(`insert into storage.objects (bucket_id, name) select 'b', null from generate_series(1, 5)`)
    await insert('')
    await promise()
    await step(2)
    await step(2)
    await step(2)
    await step(2)
    expect(await names()).toEqual([])
  })

  test('asked for once more begins again with the later moment', async () => {
    await insert('a', 'b', 'c')
    await promise()
    await step(2)
    await insert('a')
    await promise()
    expect(await step()).toEqual({ removed: 2, done: true })
    expect(await names()).toEqual([])
  })

  test('is nothing without a promise, for no bucket, or on another cluster', async () => {
    await insert('a')
    expect(await step()).toBeNull()
    expect(await promise(askedBucketId('none'))).toBeUndefined()
    await promise()
    await database.service('update stowage.emptyings set cluster = cluster + 1')
    expect(await step()).toBeNull()
    expect(await names()).toEqual(['a'])
  })

  test('costs what it removes, not what the bucket holds, in a table that was never analysed', async () => {
    await database.service(`insert into storage.objects (bucket_id, name) select 'b', 'folder/' || n from generate_series(1, 50000) n`)
    await promise()
    await step(500)
    const client = await database.connect()
    await client.query(`select set_config('storage.allow_delete_query', 'true', false)`)
    const { text, values } = emptyings.emptyingStep(B, 500, NOW)
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, [...values])
    const { Plan: plan } = rows[0]['QUERY PLAN'][0]
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(20_000)
  })
})

test.each<[string, string, string, boolean]>([
  ['committed long before', '1000', '5000:5000:', true],
  ['the first that comes after', '5000', '5000:5000:', false],
  ['under way', '4990', '4980:5000:4990', false],
  ['committed beside one under way', '4991', '4980:5000:4990', true],
  ['frozen before there was an xmin to keep', '2', '5000:5000:', true],
  ['before the counter went round', '4294960000', '4294972296:4294972296:', true],
  ['after the counter went round', '5001', '4294972296:4294972296:', false],
  ['of an age of more than half the numbers', '4000000000', '7000000000:7000000000:', true],
])('a row %s: %s at %s', async (_, xid, moment, expected) => {
  // as if it were still that moment: what the cluster's own counter says is not part of the question
  const [row] = await database.service(`select stowage.existed_at($1::text::xid, $2::text::pg_snapshot)`, xid, moment)
  expect(row?.[0]).toBe(expected ? 't' : 'f')
})

describe('resuming', () => {
  const observed: StorageObservation[] = []
  const resumer = () => {
    observed.length = 0
    const asService: StorageDeps['asService'] = (batch, signal) => database.pool.run({ ...batch, as: AS_SERVICE }, signal)
    return createResumer({ asService, observe: (each) => observed.push(each), intervalMs: milliseconds(20) })
  }
  const until = async (holds: () => boolean) => {
    for (let n = 0; n < 500 && !holds(); n++) await sleep(10)
    expect(holds()).toBe(true)
  }

  test('finishes what a process that is gone has begun', async () => {
    await database.service(`insert into storage.objects (bucket_id, name) select 'b', 'k' || n from generate_series(1, 3000) n`)
    await promise()
    await step(500)
    await insert('late')
    const working = resumer()
    working.start()
    await until(() => observed.length > 0)
    await working.stop()
    expect(observed).toEqual([{ kind: 'bucket emptied', bucket: 'b', objects: 3000, done: true }])
    expect(await names()).toEqual(['late'])
    expect(await database.service('select from stowage.emptyings')).toEqual([])
  })

  test('leaves alone what somebody is at work on, and goes on when nobody is any more', async () => {
    await insert('a')
    await run(emptyings.requestEmptying(B, milliseconds(2_000)))
    const working = resumer()
    working.start()
    await sleep(200)
    expect(await names()).toEqual(['a'])
    await until(() => observed.length > 0)
    await working.stop()
    expect(await names()).toEqual([])
  })

  test('tells of what stands in its way, waits longer each time, and drops what another cluster was asked', async () => {
    await insert('kept')
    await database.service(`insert into storage.buckets (id, name) values ('restored', 'restored') on conflict do nothing`)
    await promise()
    await promise(askedBucketId('restored'))
    await database.service(`update stowage.emptyings set cluster = 1 where bucket_id = 'restored'`)
    const owner = await database.connect()
    await owner.query(
      `create function public.keep() returns trigger language plpgsql as $$ begin raise 'it stays'; end $$;
       create trigger keep before delete on storage.objects for each row execute function public.keep()`,
    )
    const working = resumer()
    working.start()
    await until(() => observed.length > 1)
    await sleep(200)
    await working.stop()
    await owner.query('drop trigger keep on storage.objects')
    expect(observed).toEqual([
      { kind: 'emptying failed', bucket: 'restored', error: null },
      { kind: 'emptying failed', bucket: 'b', error: expect.objectContaining({ message: 'it stays' }) },
    ])
    const left = await database.service(
      `select bucket_id, attempts, due_at > clock_timestamp() + interval '1 second' from stowage.emptyings`,
    )
    expect(left).toEqual([['b', '1', 't']])
  })
})
