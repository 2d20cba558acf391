import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shippedExtension } from '../../src/catalog/shipped-extension.ts'
import { installExtension } from '../../src/index.ts'
import { changeExtension } from '../../src/service/change-extension.ts'
import { ensureExtension } from '../../src/service/ensure-extension.ts'
import { extensionState } from '../../src/service/extension-state.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

const made: FreshDatabase[] = []
async function database(): Promise<pg.Client> {
  const fresh = await freshDatabase('extension')
  made.push(fresh)
  return fresh.connect()
}

let hasFiles: boolean
let roles: readonly string[]
beforeAll(async () => {
  const client = await database()
  hasFiles = (await extensionState(client)).offered.length > 0
  // cluster-wide, and other runs may be on the same server
  roles = ['visitor', 'member'].map((name) => `${(made[0] as FreshDatabase).name}_${name}`)
  for (const role of roles) await client.query(`create role "${role}"`)
})
afterAll(async () => {
  const client = await database()
  await Promise.all(made.slice(0, -1).map((fresh) => fresh.drop()))
  for (const role of roles ?? []) await client.query(`drop role "${role}"`)
  await made.at(-1)?.drop()
})

const rowsOf = async (client: pg.Client, text: string): Promise<readonly unknown[][]> =>
  (await client.query({ text, rowMode: 'array' })).rows

/** Everything in the schema, by what it says and who may use it. */
const CONTENT = `
  select 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid), p.proacl::text
  from pg_catalog.pg_proc p
  where p.pronamespace = 'stowage_graphql'::regnamespace
  union all
  select c.relkind::text, c.relname, pg_get_viewdef(c.oid), c.relacl::text
  from pg_catalog.pg_class c
  where c.relnamespace = 'stowage_graphql'::regnamespace
  union all
  select 'event trigger', e.evtname, e.evtevent, e.evtenabled::text
  from pg_catalog.pg_event_trigger e
  order by 1, 2`

describe('versions', () => {
  it('are told by the control file, and each has its script', async () => {
    const shipped = await shippedExtension()
    expect(shipped.versions).toEqual(['1.0.0', '1.1.0'])
    expect(shipped.defaultVersion).toBe('1.1.0')
  })

  it('are listed by the server, and the default one is installed', async ({ skip }) => {
    if (!hasFiles) return skip()
    const client = await database()
    await client.query('create extension stowage_graphql')
    expect(
      await rowsOf(client, `select version, installed from pg_available_extension_versions where name = 'stowage_graphql' order by 1`),
    ).toEqual([
      ['1.0.0', false],
      ['1.1.0', true],
    ])
    expect(await rowsOf(client, 'select stowage_graphql.installed_version()')).toEqual([['1.1.0']])
  })

  it('come to the same by files, by update and without files', async ({ skip }) => {
    if (!hasFiles) return skip()
    const [fresh, updated, without] = await Promise.all([database(), database(), database()])
    await fresh.query('create extension stowage_graphql')
    await updated.query(`create extension stowage_graphql version '1.0.0'; alter extension stowage_graphql update`)
    await installExtension(without)
    const content = await rowsOf(fresh, CONTENT)
    expect(content.length).toBeGreaterThan(12)
    expect(await rowsOf(updated, CONTENT)).toEqual(content)
    expect(await rowsOf(without, CONTENT)).toEqual(content)
  })

  it('of the same major keep what the service calls', async () => {
    const [old, fresh] = await Promise.all([database(), database()])
    await installExtension(old, '1.0.0')
    await installExtension(fresh, '1.1.0')
    // in how many processes a function may run is no part of what it does
    const called = async (client: pg.Client) =>
      (await rowsOf(client, CONTENT)).map((row) =>
        row.map((fact) => (typeof fact === 'string' ? fact.replace(' PARALLEL SAFE\n', '') : fact)),
      )
    const then = await called(old)
    const now = await called(fresh)
    expect(now).toEqual(expect.arrayContaining(then.filter(([, name]) => name !== 'stowage_graphql.installed_version()')))
  })

  it('drop without a trace but the schema', async ({ skip }) => {
    if (!hasFiles) return skip()
    const client = await database()
    await client.query('create extension stowage_graphql; drop extension stowage_graphql')
    expect(await rowsOf(client, CONTENT)).toEqual([])
  })
})

describe('installing', () => {
  const state = async (client: pg.Client) => {
    const { name, default_version, installed_version, comment } = await extensionState(client)
    return { name, default_version, installed_version, comment }
  }
  const comment = 'Schema version and comment directives for the GraphQL API of Stowage'

  it('without files shows as pg_available_extensions would', async () => {
    const client = await database()
    expect(await state(client)).toEqual({ name: 'stowage_graphql', default_version: '1.1.0', installed_version: null, comment })
    await installExtension(client, '1.0.0')
    const shown = { name: 'stowage_graphql', default_version: '1.1.0', comment: `${comment} (installed without files)` }
    expect(await state(client)).toEqual({ ...shown, installed_version: '1.0.0' })
    await installExtension(client)
    expect(await state(client), 'what is there stays').toEqual({ ...shown, installed_version: '1.0.0' })
  })

  it('refuses a version that there is not, in words', async () => {
    const client = await database()
    await expect(installExtension(client, '../../x')).rejects.toThrow('stowage_graphql has no version "../../x", but 1.0.0, 1.1.0')
    await expect(changeExtension(client, '9.9.9', () => undefined)).rejects.toThrow(
      'There is no version "9.9.9" of stowage_graphql: choose 1.0.0 or 1.1.0.',
    )
    expect((await extensionState(client)).installed_version).toBeNull()
  })

  it('at the start of a service puts in what is missing, and leaves what is there', async () => {
    const client = await database()
    await ensureExtension(client, () => undefined)
    expect(await extensionState(client)).toMatchObject({ installed_version: '1.1.0', without_files: !hasFiles })
    await changeExtension(client, '1.0.0', () => undefined)
    await ensureExtension(client, () => undefined)
    expect(await extensionState(client)).toMatchObject({ installed_version: '1.0.0' })
  })

  it('of another version takes the place of one without files', async () => {
    const client = await database()
    await installExtension(client, '1.0.0')
    const lines: string[] = []
    await changeExtension(client, '1.1.0', (line) => lines.push(line))
    expect(await extensionState(client)).toMatchObject({ installed_version: '1.1.0', without_files: !hasFiles })
    await changeExtension(client, '1.1.0', (line) => lines.push(line))
    expect(lines).toEqual(['version 1.1.0 is installed already'])
  })

  it('says what stands in the way, and changes nothing', async ({ skip }) => {
    if (!hasFiles) return skip()
    const client = await database()
    await client.query('create extension stowage_graphql; create view public.mine as select * from stowage_graphql.directives')
    await expect(changeExtension(client, '1.0.0', () => undefined)).rejects.toThrow(
      'Version 1.0.0 could not be installed: cannot drop extension stowage_graphql because other objects depend on it.',
    )
    expect((await extensionState(client)).installed_version).toBe('1.1.0')
  })
})

describe.each(['1.0.0', '1.1.0'])('version %s', (version) => {
  const version_ = async (client: pg.Client) =>
    (await rowsOf(client, 'select bit_xor(id)::text from stowage_graphql.schema_version'))[0]?.[0]

  it('notes every change of the schema, and nothing else', async () => {
    const client = await database()
    await installExtension(client, version)
    const [visitor] = roles
    await client.query(
      'create table public.book (id int primary key, title text); create materialized view public.counted as select 1 as n',
    )
    const moves = async (statement: string) => {
      const before = await version_(client)
      await client.query(statement)
      return (await version_(client)) !== before
    }
    for (const statement of [
      'alter table public.book add column pages int',
      `comment on column public.book.pages is '@graphql({"name": "length"})'`,
      `grant select on public.book to "${visitor}"`,
      `revoke select on public.book from "${visitor}"`,
      `grant usage on schema public to "${visitor}"`,
      `drop owned by "${visitor}"`,
      'create index on public.book (title)',
      "create type public.mood as enum ('good')",
      `alter type public.mood add value 'bad'`,
      'create function public.f() returns int language sql as $$ select 1 $$',
      'revoke execute on function public.f() from public',
      'drop function public.f()',
      'do $$ begin create table public.passing (); drop table public.passing; end $$',
      'select 1 as one into public.selected',
      'alter table public.selected rename to chosen',
      'set session_replication_role = replica; alter table public.book add column late int; reset session_replication_role',
      'begin isolation level serializable; alter table public.book add column later int; commit',
    ]) {
      expect(await moves(statement), statement).toBe(true)
    }
    for (const statement of [
      'select 1',
      `insert into public.book (id) values (1); update public.book set title = 'x'; truncate public.book`,
      'create temporary table passing (id serial primary key); drop table passing',
      'refresh materialized view public.counted',
      'reindex table public.book',
      'analyze public.book',
      'begin; create table public.undone (); rollback',
      'begin; savepoint a; create table public.undone (); rollback to a; commit',
    ]) {
      expect(await moves(statement), statement).toBe(false)
    }
  })

  it('shows a change where it was made at once, elsewhere when it is committed, and changes do not wait for each other', async () => {
    const [one, other] = [await database(), await (made.at(-1) as FreshDatabase).connect()]
    await installExtension(one, version)
    const before = await version_(one)
    await one.query('begin; create table public.a ()')
    await other.query('begin; create table public.b ()')
    const [inOne, inOther] = [await version_(one), await version_(other)]
    expect(new Set([before, inOne, inOther]).size).toBe(3)
    await one.query('commit')
    const afterOne = await version_(one)
    await other.query('commit')
    expect(new Set([before, afterOne, await version_(other)]).size).toBe(3)
    await other.query('create table public.c ()')
    expect(await rowsOf(one, 'select count(*)::int from stowage_graphql.schema_version')).toEqual([[1]])
  })

  it('can be used by every role where nothing is granted by itself', async () => {
    const client = await database()
    await client.query('alter default privileges revoke execute on functions from public')
    await installExtension(client, version)
    await client.query(`set role "${roles[0]}"`)
    await version_(client)
    await expect(client.query('select stowage_graphql.raise_stale_catalog()')).rejects.toMatchObject({ code: 'SW001' })
    await expect(client.query(`select stowage_graphql.refuse('no')`)).rejects.toThrow('no')
    await expect(client.query('delete from stowage_graphql.schema_version')).rejects.toMatchObject({ code: '42501' })
    expect(
      await rowsOf(
        client,
        `select stowage_graphql.comment_directive('@graphql({"name": "x"})'), stowage_graphql.comment_directive('none')`,
      ),
    ).toEqual([[{ name: 'x' }, {}]])
  })
})

describe('version 1.1.0 says', () => {
  it('what every comment directive is about, and what of it cannot count', async () => {
    const client = await database()
    await installExtension(client)
    await client.query(`
      create table public.good (id int primary key, title text);
      comment on table public.good is 'Words @graphql({"name": "Fine", "totalCount": {"enabled": true}, "max_rows": "7", "aggregate": null}) more';
      comment on column public.good.title is '@graphql({"name": "no name"})';
      create table public.loose (id int);
      comment on table public.loose is '@graphql({primary_key_columns: ["id"]})';
      create table public.listed (id int);
      comment on table public.listed is '@graphql([1])';
      create table public.open (id int);
      comment on table public.open is '@graphql(';
      create view public.seen as select * from public.good;
      comment on view public.seen is '@graphql({"primary_key_columns": ["id", "code"], "foreign_keys": [{"local_columns": ["owner"], "foreign_schema": "public", "foreign_table": "good", "foreign_columns": ["id"]}]})';
      create view public.wrong as select * from public.good;
      comment on view public.wrong is '@graphql({"primary_key_columns": "id", "foreign_keys": [{"local_columns": "id"}], "max_rows": -1, "max_row": 5, "totalCount": true})';
      create type public.mood as enum ('very good');
      comment on type public.mood is '@graphql({"mappings": {"very good": "VERY GOOD"}})';
      create function public.f(id int) returns int language sql as 'select 1';
      comment on function public.f is '@graphql({"name": "eff"})';
      alter table public.loose add constraint points_at_good foreign key (id) references public.good;
      comment on constraint points_at_good on public.loose is '@graphql({"local_name": "x", "foreign_name": 5})';
      create index of_title on public.good (title);
      comment on index public.of_title is '@graphql({})';
      comment on schema public is '@graphql({"inflect_names": true, "introspection": 1})';
      comment on table public.good is 'Words @graphql({"name": "Fine", "totalCount": {"enabled": true}, "max_rows": "7", "aggregate": null}) more'`)
    expect(await rowsOf(client, `select kind, object, problem from stowage_graphql.directives order by object collate "C"`)).toEqual([
      ['table constraint', 'points_at_good on public.loose', '"foreign_name" must be a GraphQL name'],
      ['schema', 'public', '"introspection" must be true or false'],
      ['function', 'public.f(integer)', null],
      ['table', 'public.good', null],
      ['table column', 'public.good.title', '"name" must be a GraphQL name'],
      ['table', 'public.listed', 'JSON, but not an object in braces'],
      ['table', 'public.loose', 'not JSON: Token "primary_key_columns" is invalid.'],
      ['type', 'public.mood', '"mappings" must be an object with a GraphQL name for each label'],
      ['index', 'public.of_title', 'comments on objects of this kind (index) are not looked at'],
      ['table', 'public.open', 'the parentheses are empty or not closed'],
      ['view', 'public.seen', 'there is no column "code", there is no column "owner"'],
      [
        'view',
        'public.wrong',
        '"foreign_keys" must be a list of {"local_columns": [], "foreign_schema": "", "foreign_table": "", "foreign_columns": []}, ' +
          'unknown key "max_row", "max_rows" must be a whole number, "primary_key_columns" must be a list of column names, ' +
          '"totalCount" must be {"enabled": true}',
      ],
    ])
    expect(await rowsOf(client, `select directive from stowage_graphql.directives where object = 'public.good'`)).toEqual([
      [{ name: 'Fine', totalCount: { enabled: true }, max_rows: '7', aggregate: null }],
    ])
  })

  it('why a relation is missing', async () => {
    const client = await database()
    await installExtension(client)
    const [visitor] = roles
    const why = async (relation: string) =>
      (await rowsOf(client, `select stowage_graphql.why_missing('${relation}', '${visitor}')`))[0]?.[0]
    await client.query(`
      create schema inner_;
      create table inner_.book (id int, title text);
      create table public."odd name" (id int primary key)`)
    expect(await why('inner_.book')).toBe(`${visitor} may not use the schema inner_: grant usage on it`)
    await client.query(`grant usage on schema inner_, public to "${visitor}"`)
    expect(await why('inner_.book')).toBe(`${visitor} may read none of its columns: grant select on it`)
    await client.query(`grant select (title) on inner_.book to "${visitor}"; grant select on public."odd name" to "${visitor}"`)
    const noKey = 'it has no primary key: name its key columns by "primary_key_columns" in its comment directive'
    expect(await why('inner_.book')).toBe(noKey)
    await client.query(`comment on table inner_.book is '@graphql({primary_key_columns: ["id"]})'`)
    expect(await why('inner_.book')).toBe(`${noKey} (the one it has is not JSON: Token "primary_key_columns" is invalid.)`)
    await client.query(`comment on table inner_.book is '@graphql({"primary_key_columns": ["id"]})'`)
    expect(await why('inner_.book')).toBeNull()
    expect(await why('public."odd name"')).toBe('its name is no GraphQL name: give it one by "name" in its comment directive')
    expect(await why('public."odd name_pkey"')).toBe('it is neither a table nor a view')
  })

  it('the version of the schema, and lets its owner renew it', async () => {
    const client = await database()
    await installExtension(client)
    const version = async () => (await rowsOf(client, 'select stowage_graphql.catalog_version()'))[0]?.[0]
    const before = await version()
    await client.query(`grant "${roles[0]}" to "${roles[1]}"`)
    expect(await version(), 'PostgreSQL tells nobody of memberships').toBe(before)
    await client.query('select stowage_graphql.reload()')
    expect(await version()).not.toBe(before)
    await client.query(`set role "${roles[0]}"`)
    await expect(client.query('select stowage_graphql.reload()')).rejects.toMatchObject({ code: '42501' })
  })
})
