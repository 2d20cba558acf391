import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type MigrateOptions, migrate } from '../../src/pg/migrate.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

const root = join(import.meta.dirname, '../..')
const shipped = (ownDatabase: boolean): MigrateOptions => ({
  migrationsFolder: join(root, 'migrations'),
  routinesFolder: join(root, 'sql/routines'),
  ownDatabase,
  onLine: () => undefined,
})

const databases: FreshDatabase[] = []
const folders: string[] = []
async function database(): Promise<FreshDatabase> {
  const made = await freshDatabase('migrate')
  databases.push(made)
  return made
}
async function filesOf(migrations: Record<string, string>, routines: Record<string, string> = {}): Promise<MigrateOptions> {
  const migrationsFolder = await mkdtemp(join(tmpdir(), 'migrations-'))
  const routinesFolder = await mkdtemp(join(tmpdir(), 'routines-'))
  folders.push(migrationsFolder, routinesFolder)
  for (const [name, text] of Object.entries(migrations)) await writeFile(join(migrationsFolder, name), text)
  for (const [name, text] of Object.entries(routines)) await writeFile(join(routinesFolder, name), text)
  return { migrationsFolder, routinesFolder, ownDatabase: false, onLine: () => undefined }
}
afterAll(async () => {
  await Promise.all(databases.map((made) => made.drop()))
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
})

describe('the shipped migrations', () => {
  it('run once, and again change nothing', async () => {
    const client = await (await database()).connect()
    const first = await migrate(client, shipped(true))
    expect(first[0]).toBe('0001-roles.sql')
    expect(await migrate(client, shipped(true))).toEqual([])
  })

  it('run when two servers start at once, on one database and on two', async () => {
    const one = await database()
    const other = await database()
    const clients = await Promise.all([one.connect(), one.connect(), one.connect(), other.connect(), other.connect()])
    const ran = await Promise.all(clients.map((client) => migrate(client, shipped(false))))
    const onOne = [...(ran[0] ?? []), ...(ran[1] ?? []), ...(ran[2] ?? [])]
    expect(new Set(onOne).size).toBe(onOne.length)
    expect(onOne).toContain('0001-roles.sql')
  })

  it('open the public schema of a database of ours only', async () => {
    const ask = `create table public.t (id int primary key); select has_table_privilege('anon', 'public.t', 'select') as reads, has_table_privilege('anon', 'public.t', 'truncate') as truncates`
    const ours = await (await database()).connect()
    await migrate(ours, shipped(true))
    const theirs = await (await database()).connect()
    await migrate(theirs, shipped(false))
    const rows = async (client: typeof ours) => ((await client.query(ask)) as unknown as { rows: unknown[] }[]).at(-1)?.rows
    expect(await rows(ours)).toEqual([{ reads: true, truncates: false }])
    expect(await rows(theirs)).toEqual([{ reads: false, truncates: false }])
  })

  it('give the logins the roles they may become, and no other', async () => {
    const client = await (await database()).connect()
    await migrate(client, shipped(false))
    const { rows } = await client.query(`
      select m.member::regrole::text as login, array_agg(m.roleid::regrole::text order by m.roleid::regrole::text) as roles
        from pg_auth_members m
       where m.member::regrole::text in ('stowage_web', 'stowage_service')
       group by 1
       order by 1`)
    expect(rows).toEqual([
      { login: 'stowage_service', roles: ['service_role'] },
      { login: 'stowage_web', roles: ['anon', 'authenticated'] },
    ])
  })

  it('leave helpers alone that are there already', async () => {
    const client = await (await database()).connect()
    await client.query(`create schema auth; create function auth.uid() returns uuid language sql as 'select null::uuid'`)
    await migrate(client, shipped(false))
    const { rows } = await client.query(`select prosrc from pg_proc where oid = 'auth.uid()'::regprocedure`)
    expect(rows).toEqual([{ prosrc: 'select null::uuid' }])
  })

  it.each([
    ['both kinds of settings empty', {}, [null, null, null, null]],
    [
      'claims as one JSON',
      { 'request.jwt.claims': '{"sub":"6ec5a2a4-8c6c-4c1e-9f3c-2c1d2f3a4b5c","role":"authenticated","email":"a@b.c"}' },
      ['6ec5a2a4-8c6c-4c1e-9f3c-2c1d2f3a4b5c', 'authenticated', 'a@b.c', 'authenticated'],
    ],
    [
      'claims one by one',
      {
        'request.jwt.claim.sub': '6ec5a2a4-8c6c-4c1e-9f3c-2c1d2f3a4b5c',
        'request.jwt.claim.role': 'anon',
        'request.jwt.claim.email': 'x@y.z',
      },
      ['6ec5a2a4-8c6c-4c1e-9f3c-2c1d2f3a4b5c', 'anon', 'x@y.z', null],
    ],
  ])('answer who asks: %s', async (_, settings, expected) => {
    const client = await (await database()).connect()
    await migrate(client, shipped(false))
    const all = {
      'request.jwt.claims': '',
      'request.jwt.claim.sub': '',
      'request.jwt.claim.role': '',
      'request.jwt.claim.email': '',
      ...settings,
    }
    for (const [name, text] of Object.entries(all)) await client.query('select set_config($1, $2, false)', [name, text])
    await client.query('set role anon')
    const { rows } = await client.query({
      text: `select auth.uid(), auth.role(), auth.email(), auth.jwt() ->> 'role'`,
      rowMode: 'array',
    })
    expect(rows).toEqual([expected])
  })
})

describe('the runner', () => {
  it('names a file that was changed after it ran', async () => {
    const client = await (await database()).connect()
    const options = await filesOf({ '0001-a.sql': 'create table a ()' })
    await migrate(client, options)
    await writeFile(join(options.migrationsFolder, '0001-a.sql'), 'create table b ()')
    await expect(migrate(client, options)).rejects.toThrow(/^0001-a\.sql was changed after/)
  })

  it('does not mind other line ends', async () => {
    const client = await (await database()).connect()
    const options = await filesOf({ '0001-a.sql': 'create table a ();\n' })
    await migrate(client, options)
    await writeFile(join(options.migrationsFolder, '0001-a.sql'), 'create table a ();\r\n')
    expect(await migrate(client, options)).toEqual([])
  })

  it('refuses a database of a newer release', async () => {
    const client = await (await database()).connect()
    await migrate(client, await filesOf({ '0001-a.sql': 'select 1', '0002-b.sql': 'select 1' }))
    await expect(migrate(client, await filesOf({ '0001-a.sql': 'select 1' }))).rejects.toThrow(/newer release, which brought 0002-b\.sql/)
  })

  it('refuses a gap', async () => {
    const client = await (await database()).connect()
    await expect(migrate(client, await filesOf({ '0001-a.sql': 'select 1', '0003-c.sql': 'select 1' }))).rejects.toThrow(
      /0003-c\.sql stands where 0002/,
    )
  })

  it('keeps what ran before a file that failed, and nothing of that file', async () => {
    const client = await (await database()).connect()
    const options = await filesOf({ '0001-a.sql': 'create table a ()', '0002-b.sql': 'create table b (); select 1 / 0' })
    await expect(migrate(client, options)).rejects.toThrow('0002-b.sql failed and was rolled back: division by zero')
    const { rows } = await client.query(`select to_regclass('public.a') is not null as a, to_regclass('public.b') is not null as b`)
    expect(rows).toEqual([{ a: true, b: false }])
    await writeFile(join(options.migrationsFolder, '0002-b.sql'), 'create table b ()')
    expect(await migrate(client, options)).toEqual(['0002-b.sql'])
  })

  it('goes on after a kill in the middle', async () => {
    const made = await database()
    const options = await filesOf({ '0001-a.sql': 'create table a ()', '0002-b.sql': 'create table b (); select pg_sleep(30)' })
    const doomed = await made.connect()
    doomed.on('error', () => undefined)
    const running = migrate(doomed, options).catch((error) => error)
    const watcher = await made.connect()
    for (;;) {
      const { rows } = await watcher.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep%' and pid <> pg_backend_pid()`,
      )
      if (rows.length > 0) break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(await running).toBeInstanceOf(Error)
    await writeFile(join(options.migrationsFolder, '0002-b.sql'), 'create table b ()')
    expect(await migrate(watcher, options)).toEqual(['0002-b.sql'])
  })

  it('applies a routine again when its text changed, and only then', async () => {
    const client = await (await database()).connect()
    const text = (n: number) => `create or replace function public.n() returns int language sql as 'select ${n}'`
    const options = await filesOf({}, { 'n.sql': text(1) })
    expect(await migrate(client, options)).toEqual(['n.sql'])
    expect(await migrate(client, options)).toEqual([])
    await writeFile(join(options.routinesFolder, 'n.sql'), text(2))
    expect(await migrate(client, options)).toEqual(['n.sql'])
    expect((await client.query('select public.n()')).rows).toEqual([{ n: 2 }])
  })

  it('says what is missing when the login may not', async () => {
    const made = await database()
    const owner = await made.connect()
    await owner.query(`drop role if exists migrate_weak`)
    await owner.query(`create role migrate_weak login password 'weak-password-of-a-test'`)
    try {
      const weak = await made.connect({ user: 'migrate_weak', password: 'weak-password-of-a-test' })
      await expect(migrate(weak, shipped(false))).rejects.toThrow(/may not run .*name the owner/)
    } finally {
      await owner.query('drop role migrate_weak')
    }
  })
})
