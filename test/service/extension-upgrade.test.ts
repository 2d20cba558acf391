import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../../src/index.ts'
import { changeExtension } from '../../src/service/change-extension.ts'
import { crowd } from '../support/crowd.ts'

let folder: string
let service: Service
let owner: pg.Client

// a machine that has no time for 3 s is no failure of what is tested
const settings = () => ({ STOWAGE_DATA: folder, HOST: '127.0.0.1', PORT: '0', STOWAGE_LOG_LEVEL: 'silent', STOWAGE_POOL_WAIT: '20s' })

const connected = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'extension-'))
  service = await createService(settings())
  owner = await connected()
  await owner.query(`
    create table public.book (id int primary key, title text not null);
    insert into public.book (id, title) values (1, 'Emma'), (2, 'Dune');
    create table public.sale (id uuid primary key, book_id int not null references public.book);
    create function public.slow(seconds float8) returns text language plpgsql stable as $$
    begin
      perform pg_sleep(seconds);
      return 'woken';
    end $$;
    grant select, insert on public.book, public.sale to anon`)
})
afterAll(async () => {
  await owner?.end()
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

type Answer = { readonly status: number; readonly text: string }

async function ask(query: string, variables: unknown = {}): Promise<Answer> {
  const response = await fetch(`${service.baseUrl}/graphql/v1`, {
    method: 'POST',
    headers: { apikey: service.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  return { status: response.status, text: await response.text() }
}

const BOOKS = '{ bookCollection(orderBy: [{id: AscNullsLast}]) { edges { node { id title } } } }'
const BOOKS_ANSWER = '{"data":{"bookCollection":{"edges":[{"node":{"id":1,"title":"Emma"}},{"node":{"id":2,"title":"Dune"}}]}}}'
const SELL = 'mutation ($id: UUID!) { insertIntosaleCollection(objects: [{id: $id, book_id: 1}]) { affectedCount } }'
const SELL_ANSWER = '{"data":{"insertIntosaleCollection":{"affectedCount":1}}}'

/** Readers and writers that never rest while `work` goes on; what they got that was not the right answer. */
async function underLoad(work: () => Promise<void>): Promise<{ asked: number; sold: number; wrong: readonly Answer[] }> {
  let asked = 0
  let sold = 0
  let over = false
  const wrong: Answer[] = []
  const note = (answer: Answer, right: string) => {
    asked++
    if (answer.status !== 200 || answer.text !== right) wrong.push(answer)
  }
  const readers = Array.from({ length: 12 }, async (_, i) => {
    // a text of its own now and then, so that plans are made anew too
    while (!over) note(await ask(asked % 10 === 0 ? `# ${i} ${asked}\n${BOOKS}` : BOOKS), BOOKS_ANSWER)
  })
  const writers = Array.from({ length: 4 }, async () => {
    while (!over) {
      note(await ask(SELL, { id: crypto.randomUUID() }), SELL_ANSWER)
      sold++
    }
  })
  await work()
  over = true
  await Promise.all([...readers, ...writers])
  return { asked, sold, wrong }
}

const installed = async (): Promise<string> =>
  (await owner.query(`select installed_version as version from pg_available_extensions where name = 'stowage_graphql'`)).rows[0]?.version

describe('the owner changes the version while requests run', { timeout: 60_000 }, () => {
  it.each<[string, (target: string) => Promise<unknown>, string[]]>([
    [
      'by drop and create, a moment apart',
      async (version) => {
        await owner.query('drop extension stowage_graphql')
        await sleep(150)
        await owner.query(`create extension stowage_graphql version '${version}'`)
      },
      ['1.0.0', '1.1.0', '1.0.0', '1.1.0'],
    ],
    [
      'by drop and create in one go',
      (version) => owner.query(`drop extension stowage_graphql; create extension stowage_graphql version '${version}'`),
      ['1.0.0', '1.1.0', '1.0.0', '1.1.0', '1.0.0', '1.1.0'],
    ],
    [
      'by drop with all that hangs on it, and create',
      async (version) => {
        await owner.query('drop schema stowage_graphql cascade')
        await owner.query(`create extension stowage_graphql version '${version}'`)
      },
      ['1.0.0', '1.1.0'],
    ],
    ['by update', (version) => owner.query(`alter extension stowage_graphql update to '${version}'`), ['1.1.0']],
    [
      'by the command',
      async (version) => {
        const client = await connected()
        await changeExtension(client, version, () => undefined)
        await client.end()
      },
      ['1.0.0', '1.1.0', '1.0.0', '1.1.0'],
    ],
  ])('%s: no request fails, none is done twice', async (name, change, versions) => {
    if (name === 'by update') await owner.query(`drop extension stowage_graphql; create extension stowage_graphql version '1.0.0'`)
    await owner.query('truncate public.sale')
    const { asked, sold, wrong } = await underLoad(async () => {
      for (const version of versions) {
        await change(version)
        expect(await installed()).toBe(version)
        await sleep(200)
      }
    })
    expect(wrong).toEqual([])
    expect(asked, 'requests were under way all the time').toBeGreaterThan(5 * versions.length)
    expect((await owner.query('select count(*)::int as sales from public.sale')).rows).toEqual([{ sales: sold }])
  })

  it('beside changes of the schema, which show at once before and after', async () => {
    const { wrong } = await underLoad(async () => {
      for (const version of ['1.0.0', '1.1.0']) {
        await owner.query(`alter table public.book add column "of${version.replaceAll('.', '')}" int default 7`)
        await owner.query(`drop extension stowage_graphql`)
        await owner.query(`create extension stowage_graphql version '${version}'`)
        const field = `of${version.replaceAll('.', '')}`
        expect((await ask(`{ bookByPk(id: 1) { ${field} } }`)).text).toBe(`{"data":{"bookByPk":{"${field}":7}}}`)
        await owner.query(`alter table public.book drop column "${field}"`)
        expect((await ask(`{ bookByPk(id: 1) { ${field} } }`)).text).toContain('Unknown field')
      }
    })
    expect(wrong).toEqual([])
  })

  it('waits for a slow request without holding the others up', async () => {
    const client = await connected()
    const slow = ask('{ slow(seconds: 1.5) }')
    await sleep(100)
    let slowest = 0
    const changing = changeExtension(client, '1.0.0', () => undefined)
    let over = false
    changing.finally(() => {
      over = true
    })
    while (!over) {
      const from = performance.now()
      expect((await ask(BOOKS)).text).toBe(BOOKS_ANSWER)
      slowest = Math.max(slowest, performance.now() - from)
    }
    await changing
    expect((await slow).text).toBe('{"data":{"slow":"woken"}}')
    expect(slowest).toBeLessThan(1_000 * crowd())
    await changeExtension(client, '1.1.0', () => undefined)
    await client.end()
  })

  it('and one that is gone for good is told in words, storage goes on, and creating it mends all', async () => {
    const storage = () => fetch(`${service.baseUrl}/bucket`, { headers: { authorization: `Bearer ${service.serviceKey}` } })
    await owner.query('drop extension stowage_graphql')
    // the first request waits, in case it is an upgrade
    const first = ask(BOOKS)
    expect((await storage()).status).toBe(200)
    const missing = {
      status: 503,
      text: JSON.stringify({
        errors: [
          {
            message:
              'The extension stowage_graphql is not installed in this database. Run "create extension stowage_graphql" or "stowage extension install".',
            extensions: { code: 'ExtensionMissing' },
          },
        ],
      }),
    }
    expect(await first).toEqual(missing)
    const from = performance.now()
    expect(await ask(BOOKS)).toEqual(missing)
    expect(await ask('{ __typename }')).toEqual(missing)
    expect(performance.now() - from).toBeLessThan(1_000 * crowd())
    expect((await storage()).status).toBe(200)
    await owner.query('create extension stowage_graphql')
    expect(await ask(BOOKS)).toEqual({ status: 200, text: BOOKS_ANSWER })
  })

  it('and a restart leaves the version alone, and installs the newest where there is none', async () => {
    await owner.query(`drop extension stowage_graphql; create extension stowage_graphql version '1.0.0'`)
    const restart = async () => {
      await owner.end()
      await service.stop()
      service = await createService(settings())
      owner = await connected()
    }
    await restart()
    expect(await installed()).toBe('1.0.0')
    expect(await ask(BOOKS)).toEqual({ status: 200, text: BOOKS_ANSWER })
    await owner.query('drop extension stowage_graphql')
    await restart()
    expect(await installed()).toBe('1.1.0')
    expect(await ask(BOOKS)).toEqual({ status: 200, text: BOOKS_ANSWER })
  })
})
