import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrate } from '../../src/pg/migrate.ts'
import { connectOwner } from '../../src/pg/owner-connection.ts'
import { freshDatabase, withClient } from '../support/postgres.ts'
import { service, storageDatabase } from './storage-database.ts'

const ROOT = join(import.meta.dirname, '../..')

async function bringUp(url: string): Promise<readonly string[]> {
  const owner = await connectOwner(url, 'test')
  try {
    return await migrate(owner, {
      migrationsFolder: join(ROOT, 'migrations'),
      routinesFolder: join(ROOT, 'sql/routines'),
      ownDatabase: false,
      onLine: () => {},
    })
  } finally {
    await owner.end()
  }
}

describe('the storage schema', () => {
  test('its files can run again over their own result', async () => {
    const database = await storageDatabase('again')
    await withClient(database.url, (client) => client.query('delete from stowage.migrations; delete from stowage.routines'))
    expect(await bringUp(database.url)).toContain('0002-storage-tables.sql')
    expect(await bringUp(database.url)).toEqual([])
    await database.drop()
  })

  test('rows of a Supabase project, its policies and owners stay when it is taken over', async () => {
    const database = await freshDatabase('takeover')
    const client = await database.connect()
    await client.query(SUPABASE)
    await bringUp(database.url)
    const { rows } = await client.query(`
      select o.name, o.version, o.path_tokens, b.type, b.file_size_limit,
             (select pg_get_userbyid(relowner) from pg_class where oid = 'storage.objects'::regclass) as owner
        from storage.objects o join storage.buckets b on b.id = o.bucket_id`)
    expect(rows).toEqual([
      {
        name: 'team/a.txt',
        version: 'v1',
        path_tokens: ['team', 'a.txt'],
        type: 'STANDARD',
        file_size_limit: null,
        owner: 'takeover_owner',
      },
    ])
    await client.query('set role authenticated')
    expect((await client.query('select name from storage.objects')).rows).toEqual([{ name: 'team/a.txt' }])
    await expect(client.query('truncate storage.objects')).rejects.toThrow(/permission denied/)
    await client.query('reset role')
    await client.query(`set storage.allow_delete_query = 'true'; delete from storage.objects`)
    expect((await client.query('select * from stowage.outbox')).rows).toEqual([])
    await client.query(`drop schema storage cascade; drop owned by takeover_owner; drop role takeover_owner`)
    await database.drop()
  })

  test('the helpers of policies', async () => {
    const database = await storageDatabase('helpers')
    const ask = async (expression: string, operation?: string) =>
      (
        await database.as(service, [{ text: `select to_json(${expression})`, values: [] }], {
          settings: [['storage.operation', operation ?? '']],
        })
      )[0]?.[0]?.[0]
    expect(await ask(`storage.foldername('a/b/c.png')`)).toBe('["a","b"]')
    expect(await ask(`storage.foldername('c')`)).toBe('[]')
    expect(await ask(`storage.foldername('')`)).toBe(null)
    expect(await ask(`storage.filename('a/b/')`)).toBe('""')
    expect(await ask(`storage.extension('x.tar.gz')`)).toBe('"gz"')
    expect(await ask(`storage.extension('a/none')`)).toBe('"none"')
    expect(await ask('storage.operation()')).toBe(null)
    expect(await ask('storage.operation()', 'storage.object.list')).toBe('"storage.object.list"')
    expect(await ask(`storage.allow_only_operation('object.list')`, 'storage.object.list')).toBe('true')
    expect(await ask(`storage.allow_only_operation('storage.object.list')`, 'object.list')).toBe('true')
    expect(await ask(`storage.allow_only_operation('object.lis_')`, 'object.list')).toBe('false')
    for (const nothing of ['null', `''`, `'storage.'`])
      expect(await ask(`storage.allow_only_operation(${nothing})`, 'storage.')).toBe('false')
    expect(await ask(`storage.allow_any_operation(array['x', null, 'object.list'])`, 'object.list')).toBe('true')
    expect(await ask(`storage.allow_any_operation('{}')`, 'object.list')).toBe('false')
    expect(await ask(`storage.allow_any_operation(null)`, 'object.list')).toBe('false')
    expect(await ask(`storage.get_common_prefix('a/b/c', 'a/', '/')`)).toBe('"a/b/"')
    expect(await ask(`storage.get_common_prefix('a/b', 'a/', '/')`)).toBe(null)
    expect(await ask(`storage.get_common_prefix('a--b--c', 'a--', '--')`)).toBe('"a--b--"')
    await expect(ask(`storage.can_insert_object('none', 'x', null, null)`)).rejects.toMatchObject({ sqlstate: '23503' })
    await database.service(`insert into storage.buckets (id, name) values ('b', 'b')`)
    await expect(ask(`storage.can_insert_object('b', 'x', null, null)`)).rejects.toMatchObject({ sqlstate: 'PT200', message: 'ROLLBACK' })
    await database.service(
      `insert into storage.objects (bucket_id, name, metadata) values ('b', 'x', '{"size": 5}'), ('b', 'y', '{"size": "many"}'), ('b', 'z', null)`,
    )
    expect(await database.service('select * from storage.get_size_by_bucket()')).toEqual([['5', 'b']])
    await database.drop()
  })

  test('rows are not deleted by hand, and a hint says why', async () => {
    const database = await storageDatabase('guards')
    const refused = {
      sqlstate: '42501',
      message: 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
      hint: 'This prevents accidental data loss from orphaned objects.',
    }
    for (const table of ['objects', 'buckets'])
      await expect(
        database.as(service, [{ text: `delete from storage.${table} where false`, values: [] }], { settings: [] }),
      ).rejects.toMatchObject(refused)
    await expect(database.service(`insert into storage.buckets (id, name) values ('x', repeat('x', 101))`)).rejects.toMatchObject({
      sqlstate: 'P0001',
      message: `bucket name "${'x'.repeat(101)}" is too long (101 characters). Max is 100.`,
    })
    await database.drop()
  })
})

/** What an older project has: another owner, a locale's collation, fewer columns, every privilege, a listing function of another shape. */
const SUPABASE = `
  do $$
  begin
    create role anon nologin noinherit;
  exception when duplicate_object or unique_violation then null;
  end $$;
  do $$
  begin
    create role authenticated nologin noinherit;
  exception when duplicate_object or unique_violation then null;
  end $$;
  create role takeover_owner;
  create schema storage authorization takeover_owner;
  create table storage.buckets (id text primary key, name text not null, owner uuid, created_at timestamptz default now(), updated_at timestamptz default now());
  create unique index bname on storage.buckets using btree (name);
  create table storage.objects (
    id uuid primary key default gen_random_uuid(),
    bucket_id text,
    name text,
    owner uuid,
    created_at timestamptz default now(),
    updated_at timestamptz default now(),
    last_accessed_at timestamptz default now(),
    metadata jsonb,
    version text,
    constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id)
  );
  create unique index bucketid_objname on storage.objects using btree (bucket_id, name);
  create function storage.foldername(name text) returns text[] language plpgsql as $$
  begin
    return (string_to_array(name, '/'))[1:1];
  end $$;
  create function storage.search(prefix text, bucketname text, limits int default 100, offsets int default 0)
  returns table (name text) language plpgsql as $$ begin return; end $$;
  alter table storage.buckets owner to takeover_owner;
  alter table storage.objects owner to takeover_owner;
  alter table storage.objects enable row level security;
  grant all on schema storage to anon, authenticated;
  grant all on all tables in schema storage to anon, authenticated;
  create policy team on storage.objects for select using ((storage.foldername(name))[1] = 'team');
  insert into storage.buckets (id, name) values ('b', 'b');
  insert into storage.objects (bucket_id, name, version) values ('b', 'team/a.txt', 'v1');
`
