import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installExtension } from '../../src/index.ts'
import { type FreshDatabase, freshDatabase, withClient } from '../support/postgres.ts'

const BIN = join(import.meta.dirname, '../../bin/stowage.js')
const READER = '6f0ab9c4-0000-4000-8000-000000000001'

let database: FreshDatabase
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-'))
  database = await freshDatabase('cli')
  await withClient(database.url, async (client) => {
    // cluster-wide, and other files make them at the same time
    for (const role of ['anon', 'authenticated']) {
      await client.query(`create role ${role} nologin`).catch((error: { code?: string }) => {
        if (error.code !== '42710' && error.code !== '23505') throw error
      })
    }
    await installExtension(client)
    await client.query(`
      create table public.book (id int primary key, title text not null);
      insert into public.book (id, title) values (1, 'Emma'), (2, 'Dune');
      create table public.loan (id int primary key, book_id int not null references public.book, reader uuid not null);
      insert into public.loan (id, book_id, reader) values (1, 1, '${READER}'), (2, 2, gen_random_uuid());
      alter table public.loan enable row level security;
      create policy own on public.loan using (reader = (current_setting('request.jwt.claims')::jsonb ->> 'sub')::uuid);
      create table public.visit (id int not null, day date not null, primary key (id, day)) partition by range (day);
      create schema shop;
      create table shop.price (id int primary key, amount numeric);
      grant usage on schema public, shop to anon, authenticated;
      grant select on public.book, public.visit, shop.price to anon;
      grant select on public.book, public.loan to authenticated;
      grant insert on public.loan to authenticated`)
  })
})
afterAll(async () => {
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

function stowage(args: readonly string[], input = '', settings: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url, STOWAGE_DATA: join(folder, 'data'), ...settings }
  const child = spawn(process.execPath, [BIN, ...args], { env, cwd: tmpdir(), stdio: 'pipe' })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })))
}

const BOOKS = '{ bookCollection(first: 1) { edges { node { title } } } }'
const LOANS = '{ loanCollection { edges { node { id book { title } } } } }'

describe('print-schema', { timeout: 30_000 }, () => {
  it('prints what a role can ask for, though introspection is off', async () => {
    const { code, out } = await stowage(['print-schema'])
    expect(code).toBe(0)
    const schema = buildSchema(out)
    const fields = Object.keys(schema.getQueryType()?.getFields() ?? {})
    expect(fields).toEqual(['bookByPk', 'bookCollection', 'node', 'visitCollection'])
    expect(schema.getMutationType()).toBeUndefined()
  })

  it('knows roles and schemas apart', async () => {
    const readers = buildSchema((await stowage(['print-schema', '--role', 'authenticated'])).out)
    expect(Object.keys(readers.getMutationType()?.getFields() ?? {})).toEqual(['insertIntoloanCollection'])
    const both = buildSchema((await stowage(['print-schema', '--schemas', 'public,shop'])).out)
    expect(both.getType('price')).toBeDefined()
    const set = buildSchema((await stowage(['print-schema'], '', { STOWAGE_GRAPHQL_SCHEMAS: 'shop' })).out)
    expect(set.getType('price')).toBeDefined()
    expect(set.getType('book')).toBeUndefined()
  })

  it.each([
    [['--role', 'nobody'], 'stowage: The database has no role "nobody".\n'],
    [['--schemas', 'public,nowhere'], 'stowage: The database has no schema "nowhere".\n'],
    [['--schemas', 'public,'], "error: option '--schemas <names>' argument 'public,' is invalid. It takes names between commas.\n"],
  ])('%j is refused in words', async (args, words) => {
    expect(await stowage(['print-schema', ...args])).toEqual({ code: 1, out: '', err: expect.stringContaining(words) })
  })

  it('says that the extension is missing, and how to get it', async () => {
    const bare = await freshDatabase('bare')
    const ended = await stowage(['print-schema'], '', { DATABASE_URL: bare.url })
    expect(ended).toEqual({
      code: 1,
      out: '',
      err: 'stowage: The extension stowage_graphql is not installed: run "stowage extension install".\n',
    })
    await bare.drop()
  })
})

describe('explain', { timeout: 30_000 }, () => {
  it('shows plan, SQL, values, and what PostgreSQL makes of them for the caller', async () => {
    const file = join(folder, 'loans.graphql')
    await writeFile(file, LOANS)
    const { code, out } = await stowage([
      'explain',
      '--role',
      'authenticated',
      '--claims',
      JSON.stringify({ sub: READER }),
      '--analyze',
      file,
    ])
    expect(code).toBe(0)
    expect(out).toContain('-- plan\nquery\n  loanCollection: collection public.loan order id asc')
    expect(out).toContain('-- statement\n/* graphql.query */\nselect ')
    expect(out, "the policy's filter").toMatch(/-- explain\n[\s\S]*Filter: \(reader = [\s\S]*Rows Removed by Filter: 1/)
  })

  it('reads standard input, takes variables, and answers JSON', async () => {
    const query =
      'query Pick($title: String) { bookCollection(filter: {title: {eq: $title}}) { edges { node { id } } } } query Other { __typename }'
    const args = ['--json', '--variables', '{"title": "a from b"}', '--operation', 'Pick', '-']
    const { code, out } = await stowage(['explain', ...args], query)
    expect(code).toBe(0)
    const answer = JSON.parse(out)
    expect(Object.keys(answer)).toEqual(['plan', 'statements', 'errors'])
    expect(answer.statements).toEqual([
      { text: expect.stringMatching(/^\/\* graphql.query \*\/ select/), values: ['a from b'], explain: expect.any(Array) },
    ])
    expect(answer.statements[0].explain.join()).toContain("title = 'a from b'::text")
  })

  it('runs a mutation only to take it back', async () => {
    const mutation = `mutation { insertIntoloanCollection(objects: [{id: 9, book_id: 1, reader: "${READER}"}]) { affectedCount } }`
    const { code, out } = await stowage(
      ['explain', '--claims', JSON.stringify({ sub: READER, role: 'authenticated' }), '--analyze', '-'],
      mutation,
    )
    expect(code).toBe(0)
    expect(out).toMatch(/Insert on loan .*actual time/)
    await withClient(database.url, async (client) => {
      expect((await client.query('select count(*)::int as loans from public.loan')).rows).toEqual([{ loans: 2 }])
    })
  })

  it("shows PostgreSQL's refusal", async () => {
    const mutation = `mutation { insertIntoloanCollection(objects: [{id: 9, book_id: 1, reader: "${crypto.randomUUID()}"}]) { affectedCount } }`
    const { out } = await stowage(
      ['explain', '--role', 'authenticated', '--claims', JSON.stringify({ sub: READER }), '--analyze', '-'],
      mutation,
    )
    expect(out).toContain('PostgreSQL refuses: new row violates row-level security policy for table "loan" (42501)')
  })

  it('explains the roots that can be answered, and tells of the others', async () => {
    const { code, out } = await stowage(['explain', '-'], `{ nothing ${BOOKS.slice(1)}`)
    expect(code).toBe(1)
    expect(out).toContain('-- error\nnothing: Unknown field "nothing" on type Query (line 1, column 3)')
    expect(out).toContain('bookCollection: collection public.book')
  })

  it.each<[string, readonly string[], string, string]>([
    ['a document that cannot be parsed', ['-'], '{ bookCollection {', 'query parse error: Parse error at 1:19: '],
    ['no document', ['nowhere.graphql'], '', 'The document cannot be read: ENOENT'],
    ['variables that are no JSON', ['--variables', '{', '-'], BOOKS, '--variables is not JSON: unexpected end of JSON.'],
    ['variables that are a list', ['--variables', '[]', '-'], BOOKS, '--variables must be a JSON object, like {"id": 1}.'],
    ['claims that are text', ['--claims', '"x"', '-'], BOOKS, '--claims must be a JSON object'],
    [
      'two roles',
      ['--role', 'anon', '--claims', '{"role": "authenticated"}', '-'],
      BOOKS,
      '--role is "anon", but the claims name the role "authenticated".',
    ],
    ['a role that there is not', ['--claims', '{"role": "nobody"}', '-'], BOOKS, 'The database has no role "nobody".'],
    ['an operation that there is not', ['--operation', 'Nope', '-'], BOOKS, 'Operation not found'],
  ])('refuses %s in words', async (_, args, input, words) => {
    const ended = await stowage(['explain', ...args], input)
    expect(ended).toEqual({ code: 1, out: '', err: expect.stringContaining(`stowage: ${words}`) })
  })
})

describe('extension', { timeout: 30_000 }, () => {
  it('lists, installs, replaces, and refuses in words', async () => {
    const fresh = await freshDatabase('commands')
    const run = (...args: string[]) => stowage(['extension', ...args], '', { DATABASE_URL: fresh.url })
    const list = async () => (await run('list')).out.trim().split('\n')
    const [head, row] = await list()
    expect(head?.split(/\s+/)).toEqual(['name', 'default_version', 'installed_version', 'comment'])
    expect(row).toMatch(/^stowage_graphql +1\.1\.0 +Schema version/)
    expect((await run('install')).code).toBe(0)
    expect((await list())[1]).toMatch(/^stowage_graphql +1\.1\.0 +1\.1\.0 +Schema version/)
    expect((await run('install', '--version', '1.0.0')).out).toMatch(/^stowage_graphql +1\.1\.0 +1\.0\.0 +Schema version/m)
    expect(await run('install', '--version', '7')).toEqual({
      code: 1,
      out: '',
      err: 'stowage: There is no version "7" of stowage_graphql: choose 1.0.0 or 1.1.0.\n',
    })
    expect((await run('install')).out, 'what is there stays').toMatch(/1\.1\.0 +1\.0\.0/)
    await fresh.drop()
  })
})
