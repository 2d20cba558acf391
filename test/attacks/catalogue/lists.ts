import { expect } from 'vitest'
import { type Attack, each } from '../attack.ts'
import { either, folded, json, OK, type Outcome } from '../outcome.ts'
import { jsonOf, request } from '../raw.ts'
import type { World } from '../world.ts'

/** The body is JSON text where numbers must stay as they are. */
const list =
  (body: string | object, path = 'list/priv') =>
  (world: World) =>
    request(
      'POST',
      `/object/${path}`,
      [
        ['Authorization', `Bearer ${world.tokens.A}`],
        ['Content-Type', 'application/json'],
      ],
      typeof body === 'string' ? body : JSON.stringify(body),
    )

const LIST = json('a list', Array.isArray)
const EMPTY = json('an empty list', (body) => Array.isArray(body) && body.length === 0)

type Entry = { readonly name: string; readonly id: string | null }
type Page = {
  readonly hasNext: boolean
  readonly nextCursor?: string
  readonly objects: readonly Entry[]
  readonly folders: readonly Entry[]
}

export const LISTS: readonly Attack[] = [
  ...each<readonly [string, Outcome]>(
    [
      ['0', folded(400)],
      ['-1', folded(400)],
      ['1.5', folded(400)],
      ['"10"', OK],
      ['"x"', folded(400)],
      ['1e400', folded(400)],
      ['-1e400', folded(400)],
      ['1000000000', LIST],
      ['9223372036854775808', LIST],
      ['null', folded(400)],
      ['[]', folded(400)],
      ['[1,2]', folded(400)],
      ['{}', folded(400)],
      ['true', either(LIST, folded(400))],
    ],
    ([limit, outcome]) => ({ id: 'LS-03', what: `limit ${limit}`, send: list(`{"prefix":"","limit":${limit}}`), outcome }),
  ),
  ...each(['0', '-1', '1.5', '1e400', 'null', '"x"', '{}'], (limit) => ({
    id: 'LS-03',
    what: `limit ${limit} of the second list`,
    send: list(`{"prefix":"","limit":${limit}}`, 'list-v2/priv'),
    outcome: folded(400),
  })),
  ...each<readonly [string, Outcome]>(
    [
      ['1000000000', EMPTY],
      ['2147483648', EMPTY],
      ['-1', folded(400)],
      ['9223372036854775808', either(EMPTY, folded(400))],
      ['1e300', either(EMPTY, folded(400))],
      ['1e400', folded(400)],
      ['0.5', folded(400)],
    ],
    ([offset, outcome]) => ({ id: 'LS-04', what: `offset ${offset}`, send: list(`{"prefix":"","offset":${offset}}`), outcome }),
  ),
  ...each(
    [
      'owner',
      '__proto__',
      'name;drop',
      "metadata->>'x'",
      ['name', 'id'],
      {},
      '',
      'NAME',
      'name asc',
      'constructor',
      'bucket_id',
      'version',
      null,
    ],
    (column, what) => ({
      id: 'LS-05',
      what: `sorted by ${what}`,
      play: async (world) => {
        for (const path of ['list/priv', 'list-v2/priv']) {
          const heard = await world.send(list({ prefix: '', sortBy: { column, order: 'asc' } }, path)(world))
          expect(folded(400).fits(heard), `${path}: ${heard.answers[0]?.body}`).toBe(true)
        }
      },
    }),
  ),
  ...each(['asc; select pg_sleep(10)', 'ASC', '', 'ascending', ['asc', 'desc'], 1, '__proto__', 'asc nulls first'], (order, what) => ({
    id: 'LS-06',
    what: `in the order ${what}`,
    play: async (world) => {
      for (const path of ['list/priv', 'list-v2/priv']) {
        const heard = await world.send(list({ prefix: '', sortBy: { column: 'name', order } }, path)(world))
        expect(folded(400).fits(heard), `${path}: ${heard.answers[0]?.body}`).toBe(true)
      }
    },
  })),
  ...each<readonly [string, Outcome]>(
    [
      ['["a","b"]', folded(400)],
      ['{"$ne":1}', folded(400)],
      ['{}', folded(400)],
      ['5', LIST],
      ['true', LIST],
      ['null', LIST],
      ['["a"]', LIST],
    ],
    ([prefix, outcome]) => ({
      id: 'LS-08',
      what: `prefix ${prefix}`,
      send: list(`{"prefix":${prefix}}`),
      outcome,
      note: 'recorded: numbers, words and lists of one become text',
    }),
  ),
  ...each(
    ['{}', '[]', 'null', '"x"', '', '{"prefix"', '{"prefix":"x"}}', '{"prefix":"\\x"}', "{'prefix':''}", '{"prefix":"","prefix":{}}'],
    (body, what) => ({
      id: 'LS-08',
      what: `body ${what || 'nothing'}`,
      send: list(body),
      outcome: either(folded(400), folded(413)),
    }),
  ),
  {
    id: 'LS-08',
    what: '100,000 brackets',
    send: list(`{"prefix":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    outcome: folded(400),
  },
  {
    id: 'LS-08',
    what: '500,000 brackets that are never closed',
    send: list('['.repeat(500_000)),
    outcome: folded(400),
  },
  ...each(['__proto__', 'constructor'], (name) => ({
    id: 'LS-08',
    what: `a body with ${name}`,
    send: list(`{"prefix":"","${name}":{"prototype":{"limit":1}}}`),
    outcome: either(OK, folded(400)),
  })),
  ...each(['a\0', '\ud800', '\udc00x', '\0'], (value, what) => ({
    id: 'LS-09',
    what: `${what} as prefix, search and cursor`,
    play: async (world) => {
      const bodies = [
        [{ prefix: value }, 'list/priv'],
        [{ prefix: '', search: value }, 'list/priv'],
        [{ prefix: value }, 'list-v2/priv'],
        [{ cursor: value }, 'list-v2/priv'],
        [{ cursor: Buffer.from(value).toString('base64') }, 'list-v2/priv'],
      ] as const
      for (const [body, path] of bodies) {
        const heard = await world.send(list(body, path)(world))
        expect(folded(400).fits(heard), `${path} ${JSON.stringify(body)}: ${heard.answers[0]?.body}`).toBe(true)
      }
    },
  })),
  ...each(
    [
      'x',
      '=',
      'AAAA',
      Buffer.from('{"k":"x"}').toString('base64'),
      Buffer.from('k:x\no:name\nd:asc').toString('base64'),
      'x'.repeat(100_000),
      "';select pg_sleep(5)--",
      '../..',
      Buffer.from('\xff\xfe', 'latin1').toString('base64'),
      Buffer.from('k:a\nt:infinity\ns:created_at\no:asc').toString('base64'),
    ],
    (cursor, what) => ({
      id: 'LS-101',
      what: `cursor ${what}`,
      send: list({ prefix: '', cursor }, 'list-v2/priv'),
      outcome: either(folded(400), folded(413), OK),
    }),
  ),
  {
    id: 'LS-11',
    what: "B sees neither A's objects nor A's folders, however he looks",
    play: async (world) => {
      await world.ask('POST', '/object/priv/ls-11/secret-folder/secret-name', { body: 'x' })
      const asked: (readonly [string, object])[] = [
        ['list/priv', { prefix: '' }],
        ['list/priv', { prefix: 'ls-11' }],
        ['list/priv', { prefix: 'ls-11/', search: 'secret' }],
        ['list/priv', { prefix: 'ls-11/secret-folder' }],
        ['list/priv', { prefix: '', sortBy: { column: 'created_at', order: 'desc' } }],
        ['list-v2/priv', { prefix: '' }],
        ['list-v2/priv', { prefix: 'ls-11/', with_delimiter: true }],
        ['list-v2/priv', { prefix: '', with_delimiter: true, sortBy: { column: 'updated_at' } }],
      ]
      for (const [path, body] of asked) {
        for (const as of ['B', 'anon'] as const) {
          const answer = await world.ask('POST', `/object/${path}`, { as, body })
          expect(answer.status).toBe(200)
          expect(answer.body.toString(), `${as} ${path} ${JSON.stringify(body)}`).not.toMatch(/ls-11|secret|a\.txt/)
        }
      }
      const { rows } = await world.db
        .query(`
        begin;
        set local role authenticated;
        set local request.jwt.claims = '{"sub":"B"}';
        select name from storage.search('', 'priv', 1000, 1, 0, '', 'name', 'asc');
      `)
        .then((results) => (Array.isArray(results) ? results[3] : results))
      await world.db.query('rollback')
      expect(rows).toEqual([])
    },
  },
  {
    id: 'LS-12',
    what: 'paging while others write and delete: what stays appears once',
    play: async (world) => {
      await world.ask('POST', '/bucket', { body: { name: 'ls-12' } })
      await world.db.query(`
        insert into storage.objects (bucket_id, name, owner_id, metadata)
        select 'ls-12', format('%s/%s', g % 7, lpad(g::text, 6, '0')), (select owner_id from storage.buckets where id = 'ls-12'), '{"size":0}'
          from generate_series(1, 3000) g`)
      const stable = new Set(
        Array.from({ length: 3_000 }, (_, i) => i + 1)
          .filter((g) => g % 10 !== 0)
          .map((g) => `${g % 7}/${String(g).padStart(6, '0')}`),
      )
      const changing = (async () => {
        for (let g = 10; g <= 3_000; g += 50) {
          await world.db
            .query(`delete from storage.objects where bucket_id = 'ls-12' and name = $1`, [`${g % 7}/${String(g).padStart(6, '0')}`])
            .catch(() => undefined)
          await world.db.query(
            `insert into storage.objects (bucket_id, name, owner_id, metadata) select 'ls-12', $1, owner_id, '{"size":0}' from storage.buckets where id = 'ls-12'`,
            [`${g % 7}/new-${g}`],
          )
        }
      })()
      const seen: string[] = []
      let cursor: string | undefined
      for (let pages = 0; pages < 100; pages++) {
        const page = jsonOf(
          await world.ask('POST', '/object/list-v2/ls-12', { body: { prefix: '', limit: 100, ...(cursor ? { cursor } : {}) } }),
        ) as Page
        seen.push(...page.objects.map(({ name }) => name))
        cursor = page.nextCursor
        if (!page.hasNext) break
      }
      await changing
      expect(new Set(seen).size).toBe(seen.length)
      expect([...stable].filter((name) => !seen.includes(name))).toEqual([])
      await world.db.query(
        `begin; set local storage.allow_delete_query = 'true'; delete from storage.objects where bucket_id = 'ls-12'; commit`,
      )
    },
  },
  {
    id: 'LS-14',
    what: 'a folder called like a file, and empty names between slashes: the same list twice',
    play: async (world) => {
      for (const key of ['ls-14/x', 'ls-14/x/y', 'ls-14//z', 'ls-14/', 'ls-14/x//'])
        await world.ask('POST', `/object/priv/${key}`, { headers: [['x-upsert', 'true']], body: 'x' })
      for (const body of [{ prefix: 'ls-14' }, { prefix: 'ls-14/' }, { prefix: 'ls-14//' }, { prefix: 'ls-14/x/' }]) {
        const [first, second] = [
          await world.ask('POST', '/object/list/priv', { body }),
          await world.ask('POST', '/object/list/priv', { body }),
        ]
        expect(first.status).toBe(200)
        expect(second.body.toString()).toBe(first.body.toString())
        const pages = await world.ask('POST', '/object/list-v2/priv', { body: { ...body, with_delimiter: true, limit: 1 } })
        expect(pages.status).toBe(200)
      }
    },
  },
  ...each(
    [
      '\u0131',
      '\u00df',
      '\u03c2',
      '\u0130',
      'I\u0307',
      '%',
      '_',
      '\\',
      '\\%',
      '*',
      '.*',
      '(a*)*b',
      "'",
      '"',
      '$1',
      ':x',
      '{',
      '/'.repeat(500),
      'x'.repeat(100_000),
    ],
    (search, what) => ({
      id: 'LS-16',
      what: `search for ${what}`,
      play: async (world) => {
        for (const body of [{ prefix: '', search }, { prefix: search }, { prefix: search, sortBy: { column: 'created_at' } }]) {
          const heard = await world.send(list(body)(world))
          expect(either(LIST, folded(400)).fits(heard), `${heard.answers[0]?.body}`).toBe(true)
        }
        const v2 = await world.send(list({ prefix: search, with_delimiter: true }, 'list-v2/priv')(world))
        expect(v2.answers[0]?.status).toBeOneOf([200, 400])
      },
    }),
  ),
  {
    id: 'LS-102',
    what: 'bucket ids that are none',
    play: async (world) => {
      for (const bucket of ['..', '%00', '%2e%2e', 'x%2Fy', '__proto__', "x'%3B", 'b'.repeat(2_000), '%F0%9F%98%80', '%20'])
        for (const path of ['list', 'list-v2', 'sign', 'info/authenticated', 'authenticated', 'public']) {
          const method = path.startsWith('list') || path === 'sign' ? 'POST' : 'GET'
          const target = method === 'POST' ? `/object/${path}/${bucket}` : `/object/${path}/${bucket}/x`
          const answer = await world.ask(method, target, { body: method === 'POST' ? { prefix: '', expiresIn: 60, paths: ['x'] } : '' })
          expect(answer.status, `${target} ${answer.body}`).toBeOneOf([200, 400, 404])
          if (answer.status === 200) expect(answer.body.toString()).not.toContain('a.txt')
        }
    },
  },
]
