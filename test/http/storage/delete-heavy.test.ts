import { afterAll, beforeAll, expect, test } from 'vitest'
import { SERVICE_KEY, type StorageService, startStorageService, token } from './storage-service.ts'

const MIB = 2 ** 20
let service: StorageService

beforeAll(async () => {
  service = await startStorageService('delete_heavy')
  const client = await service.database.connect()
  await client.query(`
    insert into storage.buckets (id, name) values ('heavy', 'heavy'), ('mixed', 'mixed');
    grant select, delete on storage.objects to authenticated;
    create policy see on storage.objects for select to authenticated using (true);
    create policy own on storage.objects for delete to authenticated using (name like 'own%');
    insert into storage.objects (bucket_id, name, user_metadata)
      select 'heavy', 'k' || i, jsonb_build_object('n', i, 'long', repeat('x', ${MIB - 100})) from generate_series(1, 30) i;
    insert into storage.objects (bucket_id, name, user_metadata)
      select 'mixed', case when i % 2 = 0 then 'own' else 'other' end || i, jsonb_build_object('n', i, 'long', repeat('x', ${MIB - 100}))
      from generate_series(1, 24) i;
    insert into storage.objects (bucket_id, name) select 'mixed', 'own light ' || i from generate_series(1, 600) i;
  `)
  await client.end()
})
afterAll(() => service.close())

type Deleted = { readonly name: string; readonly user_metadata: { readonly n: number; readonly long: string } | null }

const remove = async (bucket: string, keys: readonly string[], bearer: string): Promise<readonly Deleted[]> => {
  const answer = await fetch(`${service.url}/object/${bucket}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prefixes: keys }),
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  return (await answer.json()) as Deleted[]
}

const left = async (bucket: string): Promise<readonly string[]> => {
  const client = await service.database.connect()
  const { rows } = await client.query(`select name from storage.objects where bucket_id = $1 order by name collate "C"`, [bucket])
  await client.end()
  return rows.map(({ name }) => name)
}

test('objects with large user metadata are deleted a few at a time, and all are told', async () => {
  const keys = Array.from({ length: 30 }, (_, i) => `k${i + 1}`)
  const deleted = await remove('heavy', [...keys, 'missing'], SERVICE_KEY)
  expect(deleted.map(({ name }) => name).sort()).toEqual([...keys].sort())
  for (const { name, user_metadata } of deleted) expect([`k${user_metadata?.n}`, user_metadata?.long.length]).toEqual([name, MIB - 100])
  expect(await left('heavy')).toEqual([])
})

test('among them those that the caller may see and not delete stay, and light ones go', async () => {
  const before = await left('mixed')
  const deleted = await remove('mixed', before, token({ role: 'authenticated' }))
  const own = before.filter((name) => name.startsWith('own'))
  expect(deleted.map(({ name }) => name).sort()).toEqual([...own].sort())
  expect(await left('mixed')).toEqual(before.filter((name) => !name.startsWith('own')))
})
