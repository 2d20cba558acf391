import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { roleName } from '../../src/std/brand.ts'
import type { Call, StorageDeps } from '../../src/storage/deps.ts'
import type { BucketId } from '../../src/storage/key.ts'
import { listObjects } from '../../src/storage/object/list-objects.ts'
import { type ListPage, listObjectsV2 } from '../../src/storage/object/list-objects-v2.ts'
import type { LevelQuery } from '../../src/storage/rows/list.sql.ts'
import { type StorageDatabase, storageDatabase } from './storage-database.ts'

let database: StorageDatabase
let deps: StorageDeps
beforeAll(async () => {
  database = await storageDatabase('list')
  const { run, runForBytes } = database.pool
  deps = { asCaller: run, asCallerAtLength: runForBytes } as StorageDeps
})
afterAll(() => database.drop())

const callAs = (role: string, subject: string | null = null): Call => ({
  as: { role: roleName(role), subject, claims: JSON.stringify({ role, sub: subject }), token: '' },
  settings: [['storage.operation', 'storage.object.list']],
})
const asService = callAs('service_role')
const never = new AbortController().signal

type Entry = {
  readonly name: string
  readonly key?: string
  readonly id: string | null
  readonly created_at: string | null
  readonly metadata: unknown
}
type Page = {
  readonly hasNext: boolean
  readonly nextCursor?: string
  readonly nextCursorKey?: string
  readonly folders: Entry[]
  readonly objects: Entry[]
}

const level = async (query: Partial<LevelQuery> = {}, call = asService, bucket = 'b'): Promise<Entry[]> =>
  JSON.parse(
    Buffer.from(
      await listObjects(
        deps,
        call,
        bucket as BucketId,
        { prefix: '', search: '', limit: 100, offset: 0, order: { column: 'name', direction: 'asc' }, ...query },
        never,
      ),
    ).toString(),
  )
const page = async (query: Partial<ListPage> = {}, call = asService, bucket = 'b'): Promise<Page> =>
  JSON.parse(
    await listObjectsV2(
      deps,
      call,
      bucket as BucketId,
      { prefix: '', cursor: '', oneLevel: false, limit: 1000, order: { column: 'name', direction: 'asc' }, ...query },
      never,
    ),
  )
const names = (entries: readonly Entry[]) => entries.map(({ name, id }) => (id === null ? `${name}/` : name))

/** Everything, page by page; entries of a page in their common order, which the two lists of an answer do not show. */
async function pages(query: Partial<ListPage>, call = asService): Promise<string[]> {
  const seen: string[] = []
  let cursor = ''
  do {
    const { folders, objects, hasNext, nextCursor = '' } = await page({ ...query, cursor }, call)
    expect(folders.length + objects.length).toBeLessThanOrEqual(query.limit ?? 1000)
    if (hasNext) expect(folders.length + objects.length).toBe(query.limit)
    seen.push(...[...folders, ...objects].map(({ name }) => name))
    cursor = hasNext ? nextCursor : ''
  } while (cursor !== '')
  return seen
}

async function store(keys: readonly string[]): Promise<void> {
  await database.service('delete from storage.objects')
  await database.service(`insert into storage.buckets (id, name) values ('b', 'b') on conflict do nothing`)
  await database.service(
    `insert into storage.objects (bucket_id, name, metadata, created_at, updated_at, last_accessed_at)
     select 'b', key, json_build_object('size', place), time, time, time
       from json_array_elements_text($1::json) with ordinality as k (key, place),
            lateral (select timestamptz '2026-01-01 00:00:00.000123Z' + place * interval '1 second') as t (time)`,
    JSON.stringify(keys),
  )
}

const SAMPLE = [
  ...['a/b/one.png', 'a/b/sub1/file.png', 'a/readme.txt', 'Zed.txt', 'a.txt', 'a-1.txt', 'b.txt', 'c_1.txt', 'cx1.txt'],
  ...['Docs/Guide.md', 'docs/intro.md', 'x//y.txt', 'z/.emptyFolderPlaceholder'],
]

describe('a level by offset', () => {
  beforeEach(() => store(SAMPLE))

  test('an object in full and a folder in full', async () => {
    await store(['d/f.txt', 'e.png'])
    expect(await level()).toEqual([
      { name: 'd', id: null, updated_at: null, created_at: null, last_accessed_at: null, metadata: null },
      {
        name: 'e.png',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        updated_at: '2026-01-01T00:00:02.000Z',
        created_at: '2026-01-01T00:00:02.000Z',
        last_accessed_at: '2026-01-01T00:00:02.000Z',
        metadata: { size: 2 },
      },
    ])
  })

  test.each([
    ['', '', 'a-1.txt a.txt a/ b.txt c_1.txt cx1.txt Docs/ x/ z/ Zed.txt'],
    ['a', '', 'b/ readme.txt'],
    ['A/', '', 'b/ readme.txt'],
    ['DOCS', '', 'Guide.md intro.md'],
    ['x', '', '/'],
    ['x//', '', 'y.txt'],
    ['a/b/one.png', '', ''],
    ['/', '', ''],
    ['a%', '', ''],
    ['c_', '', ''],
    ['', 'A', 'a-1.txt a.txt a/'],
    ['', 'ed', ''],
    ['', 'a/b/', 'a/b/one.png a/b/sub1/'],
    ['a', 'b/o', 'b/one.png'],
    ['', 'c_', 'c_1.txt'],
    ['', 'c%', ''],
    ['a/b', 'SUB', 'sub1/'],
  ])('prefix %j, search %j: %s', async (prefix, search, expected) => {
    expect(names(await level({ prefix, search })).join(' ')).toBe(expected)
  })

  test.each([
    ['name', 'desc', 'Zed.txt z/ x/ docs/ cx1.txt c_1.txt b.txt a/ a.txt a-1.txt'],
    ['created_at', 'asc', 'Docs/ a/ docs/ x/ z/ Zed.txt a.txt a-1.txt b.txt c_1.txt cx1.txt'],
    ['updated_at', 'desc', 'z/ x/ docs/ a/ Docs/ cx1.txt c_1.txt b.txt a-1.txt a.txt Zed.txt'],
    ['last_accessed_at', 'asc', 'Docs/ a/ docs/ x/ z/ Zed.txt a.txt a-1.txt b.txt c_1.txt cx1.txt'],
  ] as const)('by %s %s, any window of it', async (column, direction, expected) => {
    const all = expected.split(' ')
    const order = { column, direction }
    expect(names(await level({ order }))).toEqual(all)
    for (let offset = 0; offset <= all.length; offset++) {
      for (const limit of [1, 3, 20]) expect(names(await level({ order, offset, limit }))).toEqual(all.slice(offset, offset + limit))
    }
  })

  test('windows of everything that may be asked are equal to those of the model', async () => {
    await fc.assert(
      fc.asyncProperty(
        keySet,
        prefixes,
        prefixes,
        fc.boolean(),
        fc.nat(12),
        fc.integer({ min: 1, max: 6 }),
        async (keys, prefix, search, desc, offset, limit) => {
          await store(keys)
          const order = { column: 'name', direction: desc ? 'desc' : 'asc' } as const
          const base = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
          const expected = levelModel(keys, base, search, desc)
          expect(names(await level({ prefix, search, order }))).toEqual(expected)
          expect(names(await level({ prefix, search, order, offset, limit }))).toEqual(expected.slice(offset, offset + limit))
          const byTime = { column: 'created_at', direction: order.direction } as const
          const inTime = levelByTimeModel(keys, base, search, desc)
          expect(names(await level({ prefix, search, order: byTime }))).toEqual(inTime)
          expect(names(await level({ prefix, search, order: byTime, offset, limit }))).toEqual(inTime.slice(offset, offset + limit))
        },
      ),
      { numRuns: 60 },
    )
  })

  test('thousands, skipped by counting, with folders between', async () => {
    const keys: string[] = []
    for (let i = 0; i < 6000; i++) {
      const number = String(i).padStart(5, '0')
      keys.push(
        i % 1700 === 0 ? `f${number}/a` : `F${number}`.slice(i % 2),
        ...(i % 1700 === 0 ? [`f${number}/b`, `f${number}/c`, `f${number}/d`, `f${number}/e`] : []),
      )
    }
    await store(keys)
    for (const direction of ['asc', 'desc'] as const) {
      const expected = levelModel(keys, '', '', direction === 'desc')
      for (const offset of [0, 999, 1000, 1001, 2500, 5990, 6000, 7000, 2_147_483_647, 9e15])
        expect(names(await level({ order: { column: 'name', direction }, offset, limit: 5 }))).toEqual(expected.slice(offset, offset + 5))
    }
    expect(await level({ limit: 1_000_000 })).toHaveLength(1500)
  })

  test('thousands, skipped by counting, of which each or one has spellings that a batch may end between', async () => {
    const number = (i: number) => String(i).padStart(5, '0')
    const pairs = Array.from({ length: 1600 }, (_, i) => [`k${number(i)}`, `K${number(i)}`]).flat()
    // the first batch of a thousand ends between the two, from either side
    const single = Array.from({ length: 1999 }, (_, i) => (i === 999 ? [`l${number(i)}`, `L${number(i)}`] : [`l${number(i)}`])).flat()
    for (const keys of [pairs, ['l', ...pairs], single]) {
      await store(keys)
      for (const direction of ['asc', 'desc'] as const) {
        const expected = levelModel(keys, '', '', direction === 'desc')
        for (const offset of [998, 999, 1000, 1001, 1002, 1998, 1999, 2000, 3198, 3300])
          expect(names(await level({ order: { column: 'name', direction }, offset, limit: 3 }))).toEqual(expected.slice(offset, offset + 3))
      }
    }
  })

  test('text that is none is refused', async () => {
    for (const text of ['\0', 'a\0b', '\ud800', 'a\udc00'])
      for (const query of [{ prefix: text }, { search: text }])
        await expect(level(query)).rejects.toMatchObject({ code: 'InvalidKey', status: 400 })
  })

  test('an unknown bucket is an empty one', async () => {
    expect(await level({}, asService, 'none')).toEqual([])
    expect(await page({}, asService, 'none')).toEqual({ hasNext: false, folders: [], objects: [] })
  })
})

describe('a listing by pages', () => {
  beforeEach(() => store(SAMPLE))

  test('flat, in byte order, case and all', async () => {
    const all = [...SAMPLE].sort()
    const answer = await page()
    expect(answer).toMatchObject({ hasNext: false, folders: [] })
    expect(answer.objects.map(({ name }) => name)).toEqual(all)
    expect(Object.keys(answer.objects[0] ?? {}).sort()).toEqual(['created_at', 'id', 'last_accessed_at', 'metadata', 'name', 'updated_at'])
    expect(await pages({ prefix: 'a' })).toEqual(all.filter((name) => name.startsWith('a')))
    for (const prefix of ['A', '%', 'none', '/']) expect(await pages({ prefix })).toEqual([])
    expect(await pages({ prefix: 'c_' })).toEqual(['c_1.txt'])
  })

  test('one level, with keys of their own', async () => {
    const answer = await page({ oneLevel: true, prefix: 'a/' })
    expect(answer.folders).toEqual([
      { key: 'b', name: 'a/b/', id: null, updated_at: null, created_at: null, last_accessed_at: null, metadata: null },
    ])
    expect(answer.objects.map(({ key, name }) => [key, name])).toEqual([['readme.txt', 'a/readme.txt']])
    expect(await page({ oneLevel: true, prefix: 'a' })).toMatchObject({
      folders: [{ key: 'a', name: 'a/' }],
      objects: [{ key: 'a-1.txt' }, { key: 'a.txt' }],
    })
    expect(await page({ oneLevel: true, prefix: 'x/' })).toMatchObject({ folders: [{ key: '', name: 'x/' }], objects: [] })
  })

  test('a page of one after the other passes by no neighbour', async () => {
    await store(['a', 'a-1', 'a.txt', 'a/b', 'a/c', 'b', 'a0', 'A/x'])
    expect(await pages({ oneLevel: true, limit: 1 })).toEqual(['A/', 'a', 'a-1', 'a.txt', 'a/', 'a0', 'b'])
    expect(await pages({ oneLevel: true, limit: 1, order: { column: 'name', direction: 'desc' } })).toEqual([
      'b',
      'a0',
      'a/',
      'a.txt',
      'a-1',
      'a',
      'A/',
    ])
    const first = await page({ oneLevel: true, limit: 2 })
    expect(first).toMatchObject({ hasNext: true, nextCursorKey: 'a' })
    expect(Buffer.from(first.nextCursor ?? '', 'base64').toString()).toBe('l:a\no:asc\nc:name')
  })

  test('a folder counts as old as its oldest object', async () => {
    const order = { column: 'created_at', direction: 'desc' } as const
    const answer = await page({ oneLevel: true, order })
    expect(answer.folders.map(({ name }) => name)).toEqual(['z/', 'x/', 'docs/', 'Docs/', 'a/'])
    expect(answer.objects.map(({ name }) => name)).toEqual(['cx1.txt', 'c_1.txt', 'b.txt', 'a-1.txt', 'a.txt', 'Zed.txt'])
    expect(answer.folders.at(-1)).toMatchObject({ created_at: '2026-01-01T00:00:01.000Z', updated_at: '2026-01-01T00:00:01.000Z' })
    expect(await pages({ oneLevel: true, order, limit: 1 })).toEqual(
      [...answer.folders, ...answer.objects].sort((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? 1 : -1)).map(({ name }) => name),
    )
  })

  test('times that differ by microseconds, or not at all, or are missing, still page exactly', async () => {
    await store(['a', 'b', 'c', 'd/1', 'd/2', 'e', 'f'])
    await database.service(
      `update storage.objects set created_at = case name when 'a' then null when 'f' then null when 'e' then timestamptz '2026-01-01 00:00:00.000002Z' else timestamptz '2026-01-01 00:00:00.000001Z' end`,
    )
    for (const direction of ['asc', 'desc'] as const) {
      const order = { column: 'created_at', direction } as const
      const flat = ['a', 'f', 'b', 'c', 'd/1', 'd/2', 'e']
      const level = ['a', 'f', 'b', 'c', 'd/', 'e']
      for (const limit of [1, 2, 3]) {
        expect(await pages({ order, limit })).toEqual(direction === 'asc' ? flat : [...flat].reverse())
        expect((await pages({ order, limit, oneLevel: true })).sort()).toEqual([...level].sort())
      }
    }
  })

  test('the cursor brings its order along', async () => {
    const order = { column: 'updated_at', direction: 'desc' } as const
    const { nextCursor = '' } = await page({ order, limit: 3 })
    const next = await page({ cursor: nextCursor, limit: 3 })
    expect(next.objects.map(({ name }) => name)).toEqual(['Docs/Guide.md', 'cx1.txt', 'c_1.txt'])
    expect(next.nextCursorKey).toBe('c_1.txt')
  })

  test('a key with line breaks is a key like any other', async () => {
    const keys = ['a\nl:b', 'a\r', 'b%0A', 'ünï/1', 'ünï/2', '日本', '𐀀', '\uffff', '\ufffd']
    await store(keys)
    for (const oneLevel of [false, true]) {
      const all = await pages({ oneLevel, limit: 1 })
      expect(all).toEqual(pageModel(keys, '', oneLevel, false))
      expect(all).toHaveLength(oneLevel ? 8 : 9)
      expect(await pages({ oneLevel, limit: 1, order: { column: 'name', direction: 'desc' } })).toEqual([...all].reverse())
    }
    expect(await pages({ prefix: '\uffff' })).toEqual(['\uffff'])
    expect(await pages({ prefix: 'ün', oneLevel: true })).toEqual(['ünï/'])
  })

  test.each(['nonsense', '5', 'eDp5', '!', Buffer.from('l:a\nq:1').toString('base64'), Buffer.from('o:asc').toString('base64')])(
    '%j is no cursor',
    async (cursor) => {
      await expect(page({ cursor })).rejects.toMatchObject({ code: 'InvalidParameter', message: 'Invalid Parameter continuation token' })
    },
  )

  test.each([
    '',
    'l:',
    'l:a\0',
    'l:a\no:up',
    'l:a\nc:size',
    'l:a\nc:created_at',
    'l:a\nc:created_at\na:yesterday',
    'l:a\nc:created_at\na:2026-02-30T00:00:00Z',
    'e:%',
    "l:a\nc:created_at\na:'; drop",
  ])('made by hand of %j, it is refused or harmless', async (text) => {
    const asked = page({ cursor: Buffer.from(text).toString('base64') })
    if (text === '' || text === 'l:') expect((await asked).objects).toHaveLength(13)
    else await expect(asked).rejects.toMatchObject({ code: 'InvalidParameter' })
  })

  test('pages of every size, put together, are equal to the model', async () => {
    await fc.assert(
      fc.asyncProperty(
        keySet,
        prefixes,
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 5 }),
        async (keys, prefix, oneLevel, desc, limit) => {
          await store(keys)
          const query = { prefix, oneLevel, order: { column: 'name', direction: desc ? 'desc' : 'asc' } } as const
          const expected = pageModel(keys, prefix, oneLevel, desc)
          const whole = await page(query)
          expect([...whole.folders, ...whole.objects].map(({ name }) => name).sort()).toEqual([...expected].sort())
          const paged = await pages({ ...query, limit: 1 })
          expect(paged).toEqual(expected)
          expect((await pages({ ...query, limit })).sort()).toEqual([...expected].sort())
          for (const column of ['created_at', 'updated_at'] as const)
            expect((await pages({ ...query, limit, order: { ...query.order, column } })).sort()).toEqual([...expected].sort())
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('who sees what', () => {
  test('rows, folders and pages hold only what row security shows', async () => {
    await store(['a/mine.txt', 'a/theirs.txt', 'b/theirs.txt', 'mine.txt', 'theirs.txt', 'c/d/mine.txt'])
    const [mine, theirs] = [randomUUID(), randomUUID()]
    await database.service(`update storage.objects set owner_id = case when name like '%mine%' then $1 else $2 end`, mine, theirs)
    const client = await database.connect()
    await client.query(`create policy own on storage.objects for select to authenticated using (owner_id = auth.jwt() ->> 'sub')`)
    const me = callAs('authenticated', mine)
    expect(names(await level({}, me))).toEqual(['a/', 'c/', 'mine.txt'])
    expect(names(await level({ order: { column: 'created_at', direction: 'asc' } }, me))).toEqual(['a/', 'c/', 'mine.txt'])
    expect(await pages({ limit: 1 }, me)).toEqual(['a/mine.txt', 'c/d/mine.txt', 'mine.txt'])
    expect(await pages({ limit: 1, oneLevel: true }, me)).toEqual(['a/', 'c/', 'mine.txt'])
    expect(await pages({ oneLevel: true, order: { column: 'created_at', direction: 'asc' } }, me)).toEqual(['a/', 'c/', 'mine.txt'])
    expect(await level({}, callAs('anon'))).toEqual([])
    expect(await pages({}, callAs('anon'))).toEqual([])
    await client.query('drop policy own on storage.objects')
    await client.end()
  })

  test('functions of policies find what they count on in the search path', async () => {
    await store(['a', 'd/b'])
    const client = await database.connect()
    await client.query(`
      create table public.allowed (subject text);
      insert into public.allowed values ('someone');
      grant select on public.allowed to authenticated;
      create function public.is_allowed() returns boolean language plpgsql stable as $$
      begin
        return exists (select from allowed where subject = (select auth.jwt() ->> 'sub'));
      end $$;
      create policy allowed on storage.objects for select to authenticated using (public.is_allowed())`)
    const someone = callAs('authenticated', 'someone')
    expect(names(await level({}, someone))).toEqual(['a', 'd/'])
    expect(await pages({ oneLevel: true, order: { column: 'created_at', direction: 'asc' } }, someone)).toEqual(['d/', 'a'])
    expect(await level({}, callAs('authenticated', 'nobody'))).toEqual([])
    await client.query('drop policy allowed on storage.objects; drop function public.is_allowed; drop table public.allowed')
    await client.end()
  })
})

describe('the cost of a page', () => {
  test('is that of what comes back, whatever the size of the bucket, where row security decides, too', async () => {
    await store([])
    await database.service(`insert into storage.buckets (id, name) values ('small', 'small'), ('large', 'large') on conflict do nothing`)
    await database.service(`
      insert into storage.objects (bucket_id, name)
      select 'large', format('folder%s/sub%s/file%s.txt', lpad((n / 400)::text, 4, '0'), n % 400 / 40, n % 40) from generate_series(0, 59999) n
      union all
      select 'small', format('folder%s/file%s.txt', lpad((n / 4)::text, 4, '0'), n % 4) from generate_series(0, 599) n`)
    const client = await database.connect()
    await client.query(`
      analyze storage.objects;
      create policy buckets on storage.objects for select to authenticated using (bucket_id in ('small', 'large'))`)
    const pagesRead = async (from: string) => {
      const plan = { text: `explain (analyze, buffers, timing off, format json) select * from ${from}`, values: [] }
      // the first run of a function in a session reads the catalog
      await database.as({ role: 'authenticated' }, [plan])
      const [[[text] = []] = []] = await database.as({ role: 'authenticated' }, [plan])
      const [{ Plan: facts }] = JSON.parse(text ?? '')
      expect(facts['Actual Rows']).toBe(50)
      return facts['Shared Hit Blocks'] + facts['Shared Read Blocks']
    }
    for (const listing of [
      `storage.search('', '$', 50)`,
      `storage.search('', '$', 50, 1, 60)`,
      `storage.search('', '$', 50, sortorder => 'desc')`,
      `storage.list_level('$', '', '/', 50)`,
      `storage.list_level('$', '', '/', 50, 'folder0070/')`,
      `storage.list_level('$', '', '/', 50, 'folder0070/', true)`,
      `storage.list_level('$', '', '', 50, 'folder0070/')`,
    ]) {
      const small = await pagesRead(listing.replace('$', 'small'))
      const large = await pagesRead(listing.replace('$', 'large'))
      expect(large, listing).toBeLessThan(2 * small + 20)
    }
    await client.query('drop policy buckets on storage.objects')
    await client.end()
  })
})

describe('listing from SQL', () => {
  beforeEach(() => store(SAMPLE))
  const namesOf = async (text: string) => (await database.service(`select name from ${text}`)).flat()

  test('storage.search', async () => {
    expect(await namesOf(`storage.search('', 'b', 3, 1, 1)`)).toEqual(['a.txt', 'a', 'b.txt'])
    expect(await namesOf(`storage.search('a/', 'b', 100, 2, 0, 'b')`)).toEqual(['b'])
    expect(await namesOf(`storage.search(null, 'b', null, null, null, null, null, null)`)).toHaveLength(10)
    expect(await namesOf(`storage.search('', 'b', -1, 1, -5)`)).toEqual([])
    expect(await namesOf(`storage.search('', 'b', sortcolumn => 'nonsense; drop', sortorder => 'DESC', limits => 1)`)).toEqual(['Zed.txt'])
  })

  test('storage.search_v2 and storage.list_objects_with_delimiter go on behind a name, and come to an end', async () => {
    await store(['a', 'a-1', 'a/b', 'b/c', 'b/d', 'c'])
    for (const listing of [
      `storage.search_v2('', 'b', 1, 1, $$AFTER$$)`,
      `storage.list_objects_with_delimiter('b', '', '/', 1, $$AFTER$$)`,
    ]) {
      const seen: unknown[] = []
      for (let after = ''; seen.length < 10; ) {
        const [name] = await namesOf(listing.replace('AFTER', after))
        if (name == null) break
        seen.push(name)
        after = name
      }
      // the page behind "a" is the one behind the folder: see the function
      expect(seen).toEqual(['a', 'b', 'c'])
    }
    expect(await database.service(`select key, name from storage.search_v2('b/', 'b', levels => 2)`)).toEqual([
      ['c', 'b/c'],
      ['d', 'b/d'],
    ])
    expect(await namesOf(`storage.search_v2('', 'b', sort_column => 'created_at', sort_order => 'desc')`)).toEqual([
      'c',
      'b',
      'a',
      'a-1',
      'a',
    ])
    expect(await namesOf(`storage.list_objects_with_delimiter('b', '', '--')`)).toHaveLength(6)
  })

  test.each(['asc', 'desc'])('storage.search_v2 by time goes on behind a time in milliseconds (%s)', async (direction) => {
    await store(['a', 'b', 'c', 'd/1', 'e', 'f'])
    await database.service(
      `update storage.objects set created_at = timestamptz '2026-01-02 03:04:05.678Z' + 100 * ascii(name) * interval '1 microsecond'`,
    )
    await database.service(`update storage.objects set created_at = null where name in ('e', 'f')`)
    const seen: unknown[] = []
    for (let name = '', time = ''; seen.length < 10; ) {
      const [row] = await database.service(
        `select name, coalesce(to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '')
           from storage.search_v2('', 'b', 1, 1, '${name}', '${direction}', 'created_at', '${time}')`,
      )
      if (!row) break
      seen.push(row[0])
      name = String(row[0])
      time = String(row[1])
    }
    const ascending = ['e', 'f', 'a', 'b', 'c', 'd']
    expect(seen).toEqual(direction === 'asc' ? ascending : ascending.toReversed())
  })

  test('the end of a prefix is the least text behind all that begin with it', async () => {
    const ends = await database.service(
      `select storage.prefix_end(p) from unnest(array['a', 'a/', chr(55295), 'a' || chr(1114111), '', null]) p`,
    )
    expect(ends.flat()).toEqual(['b', 'a0', '\ue000', 'b', '\u{10ffff}'.repeat(16), '\u{10ffff}'.repeat(16)])
  })
})

const fold = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

const keySet = fc.uniqueArray(
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', '/', '/', '-', '.', '0', '_', 'é'), minLength: 1, maxLength: 6 }),
  { maxLength: 25 },
)
const prefixes = fc.string({ unit: fc.constantFrom('a', 'A', 'b', '/', '-', '_', 'é'), maxLength: 3 })

/** What a level shows, written plainly: sort everything, then fold what lies deeper into the first of its folder. */
function levelModel(keys: readonly string[], prefix: string, search: string, desc: boolean): string[] {
  const start = fold(prefix + search)
  const sorted = keys.filter((key) => fold(key).startsWith(start)).sort((a, b) => byBytes(fold(a), fold(b)) || byBytes(a, b))
  const folders = new Set<string>()
  const entries: string[] = []
  for (const key of desc ? sorted.reverse() : sorted) {
    const slash = key.indexOf('/', start.length)
    if (slash < 0) {
      entries.push(key.slice(prefix.length))
      continue
    }
    const folder = fold(key.slice(0, slash + 1))
    if (!folders.has(folder))
      entries.push(
        `${key
          .slice(0, slash + 1)
          .replace(/\/+$/, '')
          .slice(prefix.length)}/`,
      )
    folders.add(folder)
  }
  return entries
}

/** Folders by name, each spelling by itself, then objects in the order they were stored in. */
function levelByTimeModel(keys: readonly string[], prefix: string, search: string, desc: boolean): string[] {
  const start = fold(prefix + search)
  const below = keys.filter((key) => fold(key).startsWith(start))
  const slashOf = (key: string) => key.indexOf('/', start.length)
  const folders = below.filter((key) => slashOf(key) >= 0).map((key) => key.slice(0, slashOf(key)).replace(/\/+$/, '').slice(prefix.length))
  const distinct = [...new Set(folders)].sort(byBytes)
  const objects = below.filter((key) => slashOf(key) < 0)
  const inOrder = desc ? [...distinct.reverse(), '', ...objects.reverse()] : [...distinct, '', ...objects]
  const border = inOrder.indexOf('', distinct.length)
  return inOrder.flatMap((key, i) => (i === border ? [] : [i < border ? `${key}/` : key.slice(prefix.length)]))
}

function pageModel(keys: readonly string[], prefix: string, oneLevel: boolean, desc: boolean): string[] {
  const sorted = keys.filter((key) => key.startsWith(prefix)).sort(byBytes)
  const entries = sorted.map((key) => {
    const slash = oneLevel ? key.indexOf('/', prefix.length) : -1
    return slash < 0 ? key : key.slice(0, slash + 1)
  })
  const distinct = [...new Set(entries)]
  const shown = distinct.map((entry) => (oneLevel && entry.indexOf('/', prefix.length) >= 0 ? entry.replace(/\/+$/, '/') : entry))
  return desc ? shown.reverse() : shown
}
