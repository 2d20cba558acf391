import { expect } from 'vitest'
import { type Attack, each } from '../attack.ts'
import { either, folded, json, OK, type Outcome, storageError } from '../outcome.ts'
import { jsonOf, request } from '../raw.ts'
import { USER_A, type World } from '../world.ts'

const asA = (method: string, path: string, body: string | object) => (world: World) =>
  request(
    method,
    path,
    [
      ['Authorization', `Bearer ${world.tokens.A}`],
      ['Content-Type', 'application/json'],
    ],
    typeof body === 'string' ? body : JSON.stringify(body),
  )

type Bucket = {
  id: string
  name: string
  owner: string
  created_at: string
  updated_at: string
  allowed_mime_types: string[] | null
  public: boolean
}
const bucket = async (world: World, id: string): Promise<Bucket> => jsonOf(await world.ask('GET', `/bucket/${id}`)) as Bucket

export const BUCKETS: readonly Attack[] = [
  ...each(
    [
      '',
      ' ',
      ' a',
      'a ',
      'b'.repeat(101),
      'a/b',
      'a\\b',
      'a\nb',
      'a\0b',
      '\ud800',
      '\u{1f600}',
      'a#b',
      'a%b',
      'a"b',
      'a<b',
      '\u00e4',
      'a\tb',
      'x--table-s3',
    ],
    (name, what) => ({
      id: 'BK-01',
      what: `name ${what}`,
      send: asA('POST', '/bucket', { name }),
      outcome: folded(400),
    }),
  ),
  ...each(['.', '..', '...', 'a..b'], (name, what) => ({
    id: 'BK-01',
    what: `name ${what}`,
    send: asA('POST', '/bucket', { name }),
    outcome: either(OK, folded(400)),
    note: 'recorded: the peer takes dots; a bucket is a row and no path',
  })),
  ...each([1, true, null, ['x'], { a: 1 }, 1e400], (name, what) => ({
    id: 'BK-01',
    what: `name ${what}, no text`,
    send: asA('POST', '/bucket', { name }),
    outcome: either(OK, folded(400)),
    note: 'recorded: numbers and words become text',
  })),
  ...each(['', ' a', 'a/b', 'a\0b', 'i'.repeat(101), '../x'], (id, what) => ({
    id: 'BK-01',
    what: `id ${what}`,
    send: asA('POST', '/bucket', { name: `bk-01-${what.length}`, id }),
    outcome: id === '' ? either(OK, folded(400), folded(409)) : folded(400),
  })),
  ...each(['%00', '.%2e.%2e', 'a%2Fb', "x'%3B--", 'b'.repeat(10_000), '%ff', '__proto__', 'no-such-bucket'], (id, what) => ({
    id: 'BK-01',
    what: `asked for: ${what}`,
    send: ({ tokens }) => request('GET', `/bucket/${id}`, [['Authorization', `Bearer ${tokens.A}`]]),
    outcome: { says: '400 or 404', fits: ({ answers: [answer] }) => answer !== undefined && [400, 404, 414].includes(answer.status) },
  })),
  {
    id: 'BK-03',
    what: 'names of what every object has',
    play: async (world) => {
      const ids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']
      for (const id of ids) expect((await world.ask('POST', '/bucket', { body: { id, name: id } })).status, id).toBe(200)
      const listed = (jsonOf(await world.ask('GET', '/bucket')) as Bucket[]).map(({ id }) => id)
      expect(listed).toEqual(expect.arrayContaining(ids))
      for (const id of ids) {
        expect((await bucket(world, id)).id).toBe(id)
        expect((await world.ask('POST', `/object/${id}/${id}`, { body: 'x' })).status).toBe(200)
        expect((await world.ask('GET', `/object/authenticated/${id}/${id}`)).body.toString()).toBe('x')
        expect((await world.ask('DELETE', `/object/${id}/${id}`)).status).toBe(200)
        expect((await world.ask('DELETE', `/bucket/${id}`)).status).toBe(200)
      }
    },
  },
  {
    id: 'BK-05',
    what: 'A and a are two buckets',
    play: async (world) => {
      for (const id of ['BK-five', 'bk-five']) expect((await world.ask('POST', '/bucket', { body: { id, name: id } })).status).toBe(200)
      await world.ask('POST', '/object/BK-five/x', { body: 'upper' })
      expect((await world.ask('GET', '/object/authenticated/bk-five/x')).status).toBe(400)
    },
  },
  {
    id: 'BK-06',
    what: 'twenty at once make one',
    play: async (world) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => world.ask('POST', '/bucket', { body: { name: 'bk-06' } })))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter((answer) => storageError(answer)?.statusCode === '409')).toHaveLength(19)
    },
  },
  {
    id: 'BK-07',
    what: 'owner and times are not the sender’s to say',
    play: async (world) => {
      const body = { name: 'bk-07', owner: 'B', owner_id: 'B', created_at: '2001-01-01', updated_at: null, junk: 1, __proto__: { x: 1 } }
      expect((await world.ask('POST', '/bucket', { body })).status).toBe(200)
      const made = await bucket(world, 'bk-07')
      expect(made.owner).toBe(USER_A)
      expect(Date.parse(made.created_at)).toBeGreaterThan(Date.now() - 60_000)
      const { rows } = await world.db.query(`select owner_id from storage.buckets where id = 'bk-07'`)
      expect(rows[0].owner_id).toBe(USER_A)
      await world.ask('PUT', '/bucket/bk-07', {
        body: { public: true, owner: 'B', owner_id: 'B', created_at: '2001-01-01', id: 'other', name: 'other' },
      })
      expect(await bucket(world, 'bk-07')).toMatchObject({ id: 'bk-07', name: 'bk-07', owner: USER_A, public: true })
    },
  },
  ...each<readonly [unknown, Outcome]>(
    [
      [['image/*\0'], folded(415)],
      [[`image/${'x'.repeat(996)}`], folded(415)],
      [['a/b;charset=<x>'], folded(415)],
      [['a/b\r\nX: y'], folded(415)],
      [['\ud800/x'], folded(415)],
      [[1], folded(415)],
      [[null], either(OK, folded(415), folded(400))],
      [[['image/png', 'image/gif'], 'image/png'], either(folded(415), folded(400))],
      [{ a: ['image/png'] }, folded(400)],
      [Array.from({ length: 10_000 }, (_, i) => `image/t${i}`), either(OK, folded(413), folded(415))],
    ],
    ([types, outcome], what) => ({
      id: 'BK-09',
      what: `allowed_mime_types ${what}`,
      send: asA('POST', '/bucket', { name: `bk-09-${hash(what)}`, allowed_mime_types: types }),
      outcome,
    }),
  ),
  ...each<readonly [unknown, readonly string[]]>(
    [
      [['*'], ['*']],
      ['image/png', ['image/png']],
      [['', 'image/png'], ['image/png']],
    ],
    ([types, stored], what) => ({
      id: 'BK-09',
      what: `allowed_mime_types ${what} is stored as a list`,
      note: 'recorded: a star and a single text are taken',
      play: async (world) => {
        const id = `bk-09-${hash(what)}`
        expect((await world.ask('POST', '/bucket', { body: { name: id, allowed_mime_types: types } })).status).toBe(200)
        expect((await bucket(world, id)).allowed_mime_types).toEqual(stored)
      },
    }),
  ),
  ...each(
    [
      -1,
      0.5,
      '-1B',
      '1e3B',
      '1PB',
      '99999999999999999999GB',
      'NaN',
      9_007_199_254_740_993,
      1e400,
      [1, 2],
      {},
      `${'9'.repeat(400)}B`,
      '1'.repeat(100_000),
      '1GB\n',
    ],
    (limit, what) => ({
      id: 'BK-101',
      what: `file_size_limit ${what}`,
      send: asA('POST', '/bucket', { name: `bk-101-${hash(what)}`, file_size_limit: limit }),
      outcome:
        limit === 1e400
          ? OK
          : {
              says: '400/400 or 400/413',
              fits: ({ answers: [answer] }) => answer !== undefined && ['400', '413'].includes(storageError(answer)?.statusCode ?? ''),
            },
    }),
  ),
  {
    id: 'BK-101',
    what: 'file_size_limit 1e400 as it stands in the body',
    send: asA('POST', '/bucket', '{"name":"bk-101-x","file_size_limit":1e400}'),
    outcome: folded(400),
  },
  ...each<readonly [object | string, Outcome]>(
    [
      [{}, folded(400)],
      [{ id: 'other' }, folded(400)],
      [{ public: 'yes' }, folded(400)],
      [{ public: 2 }, folded(400)],
      [{ public: [true, false] }, folded(400)],
      ['{"public":true', folded(400)],
      ['', folded(400)],
      ['null', folded(400)],
      ['[]', folded(400)],
      ['"x"', folded(400)],
    ],
    ([body, outcome], what) => ({ id: 'BK-10', what: `change: ${what}`, send: asA('PUT', '/bucket/bk-07', body), outcome }),
  ),
  ...each([{ public: 'true' }, { public: 1 }], (body, what) => ({
    id: 'BK-10',
    what: `change: ${what}`,
    send: asA('PUT', '/bucket/bk-07', body),
    outcome: OK,
    note: 'recorded: words and numbers for booleans are understood',
  })),
  {
    id: 'BK-10',
    what: 'what may not be changed is not there',
    send: asA('PUT', '/bucket/priv', { public: true }),
    outcome: folded(404),
  },
  {
    id: 'BK-12',
    what: 'deleting: with an object, with an upload under way, and just emptied',
    play: async (world) => {
      await world.ask('POST', '/bucket', { body: { name: 'bk-12' } })
      await world.ask('POST', '/object/bk-12/x', { body: 'x' })
      expect(storageError(await world.ask('DELETE', '/bucket/bk-12'))?.statusCode).toBe('409')

      expect((await world.ask('POST', '/bucket/bk-12/empty', { as: 'service' })).status).toBe(200)
      // half of it is sent, then the bucket goes
      const whole = request('POST', '/object/bk-12/late', [['Authorization', `Bearer ${world.tokens.A}`]], Buffer.alloc(100_000, 'l'))
      const uploading = world.send([whole.subarray(0, 50_000), whole.subarray(50_000)], { pause: 300 })
      await new Promise((resolve) => setTimeout(resolve, 100))
      const deleted = await world.ask('DELETE', '/bucket/bk-12')
      const uploaded = (await uploading).answers[0]
      const [gone, kept] = [deleted.status === 200, uploaded?.status === 200]
      expect([gone, kept], `${deleted.body} ${uploaded?.body}`).toBeOneOf([
        [true, false],
        [false, true],
      ])
      const { rows } = await world.db.query(
        `select (select count(*)::int from storage.buckets where id = 'bk-12') as buckets, (select count(*)::int from storage.objects where bucket_id = 'bk-12') as objects`,
      )
      expect(rows[0]).toEqual(kept ? { buckets: 1, objects: 1 } : { buckets: 0, objects: 0 })
    },
  },
  {
    id: 'BK-13',
    what: 'emptied while fifty upload: what began afterwards stays',
    play: async (world) => {
      await world.ask('POST', '/bucket', { body: { name: 'bk-13' } })
      const upload = (name: string) => world.ask('POST', `/object/bk-13/${name}`, { body: name })
      const before = Array.from({ length: 25 }, (_, i) => upload(`before-${i}`))
      const emptied = await world.ask('POST', '/bucket/bk-13/empty', { as: 'service' })
      const after = Array.from({ length: 25 }, (_, i) => upload(`after-${i}`))
      expect(emptied.status).toBe(200)
      for (const answer of await Promise.all([...before, ...after])) expect(answer.status).toBe(200)
      const listed = jsonOf(await world.ask('POST', '/object/list/bk-13', { body: { prefix: '', limit: 100 } })) as { name: string }[]
      expect(listed.filter(({ name }) => name.startsWith('after')).length).toBe(25)
      for (const { name } of listed) expect((await world.ask('GET', `/object/authenticated/bk-13/${name}`)).body.toString()).toBe(name)
    },
  },
  ...each(
    [
      'limit=0',
      'limit=-1',
      'limit=1.5',
      'limit=x',
      'limit=9223372036854775808',
      'offset=-1',
      'offset=1e400',
      'sortColumn=owner',
      'sortColumn=__proto__',
      'sortOrder=asc;',
      'limit=1&limit=2',
      'limit[a]=1',
      'search[]=x&search=y',
    ],
    (query) => ({
      id: 'BK-102',
      what: `list with ${query}`,
      send: ({ tokens }) => request('GET', `/bucket?${query}`, [['Authorization', `Bearer ${tokens.A}`]]),
      outcome: query.startsWith('search') || query.startsWith('limit[') ? either(OK, folded(400)) : folded(400),
    }),
  ),
  ...each(
    [
      'search=%00',
      'search=%25',
      "search='%3B--",
      'search=%E2%80%AE',
      `search=${'x'.repeat(10_000)}`,
      'offset=9223372036854775807',
      '__proto__[x]=1',
      'constructor=1',
    ],
    (query, what) => ({
      id: 'BK-102',
      what: `list with ${what}`,
      send: ({ tokens }) => request('GET', `/bucket?${query}`, [['Authorization', `Bearer ${tokens.A}`]]),
      outcome: either(json('a list', Array.isArray), folded(400)),
    }),
  ),
]

/** Short, and different for different texts. */
function hash(text: string): string {
  let sum = 7
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_000_007
  return sum.toString(36)
}
