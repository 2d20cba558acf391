import { expect } from 'vitest'
import { type Attack, each } from '../attack.ts'
import { either, folded, OK, type Outcome, storageError } from '../outcome.ts'
import { type Answer, jsonOf, request } from '../raw.ts'
import { USER_A, type Who, type World } from '../world.ts'

const move = (world: World, from: string, to: string, as: Who = 'A', more: object = {}): Promise<Answer> =>
  world.ask('POST', '/object/move', { as, body: { bucketId: 'priv', sourceKey: from, destinationKey: to, ...more } })
const copy = (world: World, from: string, to: string, as: Who = 'A', more: object = {}): Promise<Answer> =>
  world.ask('POST', '/object/copy', { as, body: { bucketId: 'priv', sourceKey: from, destinationKey: to, ...more } })
const put = (world: World, key: string, body = key, path = 'priv'): Promise<Answer> =>
  world.ask('PUT', `/object/${path}/${key}`, { headers: [['Content-Type', 'text/plain']], body })
const get = (world: World, key: string, path = 'priv'): Promise<Answer> => world.ask('GET', `/object/authenticated/${path}/${key}`)

/** The place of a single deletion in the list of ways. */
const DELETION = 2

/** Without what differs between two answers that say the same. */
const plain = ({ status, body }: Answer): string => `${status} ${body}`

export const MOVES: readonly Attack[] = [
  {
    id: 'MV-01',
    what: "B moves, copies and deletes A's object: as if it were missing",
    note: 'recorded: who deletes what he may not is told that he may not, which is more than that it is missing',
    play: async (world) => {
      const ways: readonly ((key: string) => Promise<Answer>)[] = [
        (key) => move(world, key, 'mv-01-b', 'B'),
        (key) => copy(world, key, 'mv-01-b', 'B'),
        (key) => world.ask('DELETE', `/object/priv/${key}`, { as: 'B' }),
        (key) => world.ask('DELETE', '/object/priv', { as: 'B', body: { prefixes: [key] } }),
        (key) => world.ask('GET', `/object/authenticated/priv/${key}`, { as: 'B' }),
        (key) => world.ask('GET', `/object/info/authenticated/priv/${key}`, { as: 'B' }),
        (key) => world.ask('POST', `/object/sign/priv/${key}`, { as: 'B', body: { expiresIn: 60 } }),
      ]
      for (const [i, way] of ways.entries()) {
        const [hidden, missing] = [await way('a.txt'), await way('b.txt')]
        if (i !== DELETION) expect(plain(hidden), String(i)).toBe(plain(missing))
        if (i === DELETION) expect(storageError(hidden)?.statusCode).toBe('403')
        else if (i !== 3) expect(storageError(hidden)?.statusCode).toBe('404')
        else expect(jsonOf(hidden)).toEqual([])
      }
      expect((await get(world, 'a.txt')).body.toString()).toBe('the text of A')
    },
  },
  {
    id: 'MV-02',
    what: "B copies A's object into a bucket of his own",
    play: async (world) => {
      await world.ask('POST', '/bucket', { as: 'B', body: { name: 'of-b' } })
      for (const more of [
        { destinationBucket: 'of-b' },
        { destinationBucket: 'of-b', copyMetadata: false, metadata: { mimetype: 'x/y' } },
      ]) {
        expect(storageError(await copy(world, 'a.txt', 'mine', 'B', more))?.statusCode).toBe('404')
        expect(storageError(await move(world, 'a.txt', 'mine', 'B', more))?.statusCode).toBe('404')
      }
      const { rows } = await world.db.query(`select from storage.objects where bucket_id = 'of-b'`)
      expect(rows).toEqual([])
    },
  },
  {
    id: 'MV-05',
    what: 'onto itself',
    play: async (world) => {
      await put(world, 'mv-05')
      for (const answer of [await move(world, 'mv-05', 'mv-05'), await copy(world, 'mv-05', 'mv-05')])
        expect(answer.status).toBeOneOf([200, 400])
      expect((await get(world, 'mv-05')).body.toString()).toBe('mv-05')
      const over = await world.ask('POST', '/object/copy', {
        headers: [['x-upsert', 'true']],
        body: { bucketId: 'priv', sourceKey: 'mv-05', destinationKey: 'mv-05' },
      })
      expect(over.status).toBeOneOf([200, 400])
      expect((await get(world, 'mv-05')).body.toString()).toBe('mv-05')
    },
  },
  {
    id: 'MV-06',
    what: 'moved while it is overwritten a hundred times: no answered write is lost',
    play: async (world) => {
      await put(world, 'mv-06-a', '0')
      let last = 0
      const writing = (async () => {
        for (let i = 1; i <= 100; i++) if ((await put(world, 'mv-06-a', String(i))).status === 200) last = i
      })()
      let moved = 0
      const moving = (async () => {
        for (let i = 0; i < 30; i++) {
          const { status } = await move(world, 'mv-06-a', `mv-06-b-${i}`)
          if (status === 200) moved++
        }
      })()
      await Promise.all([writing, moving])
      expect(moved).toBeGreaterThan(0)
      const { rows } = await world.db.query<{ name: string }>(
        `select name from storage.objects where bucket_id = 'priv' and name like 'mv-06-%'`,
      )
      const left = await Promise.all(rows.map(async ({ name }) => Number((await get(world, name)).body.toString())))
      expect(Math.max(...left)).toBe(last)
      expect(new Set(left).size).toBe(left.length)
    },
  },
  {
    id: 'MV-07',
    what: 'one source to two targets at once',
    play: async (world) => {
      for (let round = 0; round < 10; round++) {
        await put(world, `mv-07-${round}`)
        const answers = await Promise.all(['x', 'y'].map((target) => move(world, `mv-07-${round}`, `mv-07-${round}-${target}`)))
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
        expect(storageError(answers.find(({ status }) => status === 400) as Answer)?.statusCode).toBe('404')
        const { rows } = await world.db.query('select from storage.objects where name like $1', [`mv-07-${round}%`])
        expect(rows).toHaveLength(1)
      }
    },
  },
  {
    id: 'MV-08',
    what: 'two swap places at once',
    play: async (world) => {
      for (let round = 0; round < 10; round++) {
        const [a, b] = [`mv-08-${round}-a`, `mv-08-${round}-b`]
        await Promise.all([put(world, a), put(world, b)])
        const answers = await Promise.all([move(world, a, b), move(world, b, a)])
        for (const answer of answers) expect(storageError(answer)?.statusCode).toBeOneOf(['404', '409', '423'])
        expect([(await get(world, a)).body.toString(), (await get(world, b)).body.toString()]).toEqual([a, b])
      }
      // with room to spare: each moves on as the other leaves
      for (let round = 0; round < 10; round++) {
        const keys = ['a', 'b', 'c'].map((name) => `mv-08-ring-${round}-${name}`)
        await Promise.all(keys.slice(0, 2).map((key) => put(world, key)))
        const [a = '', b = '', c = ''] = keys
        const answers = await Promise.all([move(world, a, c), move(world, b, a)])
        for (const answer of answers)
          expect(answer.status === 200 || ['404', '409', '423'].includes(storageError(answer)?.statusCode ?? '')).toBe(true)
        const { rows } = await world.db.query('select from storage.objects where name like $1', [`mv-08-ring-${round}%`])
        expect(rows).toHaveLength(2)
      }
    },
  },
  {
    id: 'MV-10',
    what: 'two movers from two buckets to one target',
    play: async (world) => {
      for (let round = 0; round < 10; round++) {
        await Promise.all([put(world, `mv-10-${round}`), put(world, `mv-10-${round}`, 'x', 'pub')])
        const target = { destinationBucket: 'pub' }
        const answers = await Promise.all([
          move(world, `mv-10-${round}`, `mv-10-${round}-t`, 'A', target),
          world.ask('POST', '/object/move', { body: { bucketId: 'pub', sourceKey: `mv-10-${round}`, destinationKey: `mv-10-${round}-t` } }),
        ])
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
        expect(storageError(answers.find(({ status }) => status !== 200) as Answer)?.statusCode).toBe('409')
      }
    },
  },
  ...each<readonly [string, unknown, Outcome]>(
    [
      ['a percent sign', ['%'], OK],
      ['a star', ['*', '%%', '_'], OK],
      ['a folder', ['mv-11/'], OK],
      ['NUL', ['a\0'], folded(400)],
      ['nothing', [], folded(400)],
      ['what is no text', [{ name: 'a.txt' }], folded(400)],
      ['lists', [['a.txt', 'b.txt'], 'x'], folded(400)],
      ['null', null, either(OK, folded(400))],
      ['an object', {}, folded(400)],
    ],
    ([what, prefixes, outcome]) => ({
      id: 'MV-11',
      what: `bulk deletion of ${what}`,
      play: async (world) => {
        for (const key of ['mv-11/x', 'mv-11/y']) await put(world, key)
        const heard = await world.send(
          request(
            'DELETE',
            '/object/priv',
            [
              ['Authorization', `Bearer ${world.tokens.A}`],
              ['Content-Type', 'application/json'],
            ],
            JSON.stringify({ prefixes }),
          ),
        )
        expect(outcome.fits(heard), heard.answers[0]?.body.toString()).toBe(true)
        if (heard.answers[0]?.status === 200) expect(jsonOf(heard.answers[0])).toEqual([])
        expect((await get(world, 'mv-11/x')).status).toBe(200)
      },
    }),
  ),
  {
    id: 'MV-11',
    what: 'bulk deletion of one name many times, and of 5,000 names',
    note: 'recorded: there is no limit by number; the length of the body bounds it',
    play: async (world) => {
      await put(world, 'mv-11-b')
      const once = jsonOf(
        await world.ask('DELETE', '/object/priv', { body: { prefixes: Array.from({ length: 1_001 }, () => 'mv-11-b') } }),
      ) as unknown[]
      expect(once).toHaveLength(1)
      const none = await world.ask('DELETE', '/object/priv', {
        body: { prefixes: Array.from({ length: 5_000 }, (_, i) => `mv-11-none-${i}`) },
      })
      expect(jsonOf(none)).toEqual([])
      const many = await world.ask('DELETE', '/object/priv', { body: { prefixes: Array.from({ length: 60_000 }, (_, i) => `mv-11-${i}`) } })
      expect(many.status).toBeOneOf([200, 400])
    },
  },
  {
    id: 'MV-13',
    what: 'once deleted, everybody says gone',
    play: async (world) => {
      await put(world, 'mv-13')
      await world.ask('DELETE', '/object/priv/mv-13')
      const answers = await Promise.all([
        get(world, 'mv-13'),
        world.ask('GET', '/object/info/authenticated/priv/mv-13'),
        world.ask('POST', '/object/sign/priv/mv-13', { body: { expiresIn: 60 } }),
        world.ask('DELETE', '/object/priv/mv-13'),
      ])
      for (const answer of answers) expect(storageError(answer)?.statusCode).toBe('404')
      expect((await world.ask('HEAD', '/object/authenticated/priv/mv-13')).status).toBe(400)
      expect(jsonOf(await world.ask('POST', '/object/list/priv', { body: { prefix: '', search: 'mv-13' } }))).toEqual([])
      expect(jsonOf(await world.ask('POST', '/object/sign/priv', { body: { expiresIn: 60, paths: ['mv-13'] } }))).toMatchObject([
        { signedURL: null },
      ])
    },
  },
  {
    id: 'MV-15',
    what: 'what is too big or of the wrong type does not come in by copy or move either',
    play: async (world) => {
      await world.ask('PUT', '/object/priv/mv-15-big.png', { headers: [['Content-Type', 'image/png']], body: Buffer.alloc(1_048_577) })
      await put(world, 'mv-15.txt')
      for (const way of [copy, move]) {
        expect(storageError(await way(world, 'mv-15-big.png', 'big.png', 'A', { destinationBucket: 'lim' }))?.statusCode).toBe('413')
        expect(storageError(await way(world, 'mv-15.txt', 'x.png', 'A', { destinationBucket: 'lim' }))?.statusCode).toBe('415')
      }
      const dressed = await copy(world, 'mv-15.txt', 'dressed.png', 'A', {
        destinationBucket: 'lim',
        copyMetadata: false,
        metadata: { mimetype: 'image/png' },
      })
      expect(dressed.status).toBe(200)
      const undressed = await copy(world, 'mv-15.txt', 'undressed.png', 'A', {
        destinationBucket: 'lim',
        copyMetadata: false,
        metadata: { mimetype: 'text/html' },
      })
      expect(storageError(undressed)?.statusCode).toBe('415')
      expect((await get(world, 'mv-15.txt')).status).toBe(200)
    },
  },
  {
    id: 'MV-16',
    what: 'metadata of the sender in a copy: size, tag and status are ours',
    play: async (world) => {
      await put(world, 'mv-16')
      const answer = await copy(world, 'mv-16', 'mv-16-b', 'A', {
        copyMetadata: false,
        metadata: { size: 0, eTag: 'x', httpStatusCode: 500, cacheControl: 'max-age=1', contentLength: 0, mimetype: 'a/b' },
      })
      expect(answer.status).toBe(200)
      const { rows } = await world.db.query(`select metadata, owner_id from storage.objects where name = 'mv-16-b'`)
      expect(rows[0]).toMatchObject({ owner_id: USER_A, metadata: { size: 5, httpStatusCode: 200, contentLength: 5, mimetype: 'a/b' } })
      expect(rows[0].metadata.eTag).not.toBe('x')
    },
  },
  ...each<readonly [unknown, Outcome]>(
    [
      ['false', OK],
      ['no', folded(400)],
      [0, OK],
      [2, folded(400)],
      [{}, folded(400)],
      [[false, true], folded(400)],
    ],
    ([copyMetadata, outcome], what) => ({
      id: 'MV-16',
      what: `copyMetadata ${what}`,
      note: 'recorded: words and numbers for booleans are understood',
      send: ({ tokens }) =>
        request(
          'POST',
          '/object/copy',
          [
            ['Authorization', `Bearer ${tokens.A}`],
            ['Content-Type', 'application/json'],
            ['x-upsert', 'true'],
          ],
          JSON.stringify({ bucketId: 'priv', sourceKey: 'mv-16', destinationKey: 'mv-16-c', copyMetadata }),
        ),
      outcome,
    }),
  ),
  ...each(['x\r\nX-Y: z', '\u00fc', 'x'.repeat(5_000), '\u0001'], (value, what) => ({
    id: 'MV-101',
    what: `a copy with ${what} as type or cache control`,
    play: async (world) => {
      for (const metadata of [{ mimetype: value }, { cacheControl: value }]) {
        const answer = await copy(world, 'a.txt', 'mv-101', 'A', { copyMetadata: false, metadata })
        expect(storageError(answer)?.statusCode, answer.body.toString()).toBeOneOf(['400', '415'])
      }
    },
  })),
  {
    id: 'MV-17',
    what: 'deleted and overwritten during a slow download: whole or cut, never wrong',
    play: async (world) => {
      const size = 8_000_000
      for (const change of [
        () => world.ask('DELETE', '/object/priv/mv-17'),
        () => world.ask('PUT', '/object/priv/mv-17', { body: Buffer.alloc(size, 'n') }),
      ]) {
        await world.ask('PUT', '/object/priv/mv-17', { body: Buffer.alloc(size, 'o') })
        const reading = world.ask('GET', '/object/authenticated/priv/mv-17')
        await change()
        const answer = await reading
        expect(answer.status).toBeOneOf([200, 400])
        if (answer.status === 200 && !answer.cut) expect(answer.body.equals(Buffer.alloc(size, answer.body[0]))).toBe(true)
        world.takeHeard()
      }
      await world.ask('DELETE', '/object/priv/mv-17')
    },
  },
  ...each<readonly [string, string, Outcome]>(
    [
      ['no body', '', folded(400)],
      ['no object', '[]', folded(400)],
      ['nothing in it', '{}', folded(400)],
      ['numbers for names', '{"bucketId":1,"sourceKey":2,"destinationKey":3}', either(folded(400), folded(404))],
      ['half a body', '{"bucketId":"priv",', folded(400)],
      ['__proto__ for a bucket', '{"bucketId":"__proto__","sourceKey":"x","destinationKey":"y"}', folded(404)],
      [
        'a bucket that there is not',
        '{"bucketId":"priv","sourceKey":"a.txt","destinationBucket":"none","destinationKey":"y"}',
        either(folded(404), folded(403), folded(400)),
      ],
    ],
    ([what, body, outcome]) => ({
      id: 'MV-102',
      what: `move and copy with ${what}`,
      play: async (world) => {
        for (const target of ['/object/move', '/object/copy']) {
          const heard = await world.send(
            request(
              'POST',
              target,
              [
                ['Authorization', `Bearer ${world.tokens.A}`],
                ['Content-Type', 'application/json'],
              ],
              body,
            ),
          )
          expect(outcome.fits(heard), `${target}: ${heard.answers[0]?.body}`).toBe(true)
        }
      },
    }),
  ),
]
