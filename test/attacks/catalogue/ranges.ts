import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Attack, each, shown } from '../attack.ts'
import { either, json, OK, type Outcome, status, storageError, unfolded } from '../outcome.ts'
import { type Answer, headerOf, request } from '../raw.ts'
import type { World } from '../world.ts'

type Header = readonly [name: string, value: string]

const read =
  (headers: readonly Header[], path = 'priv/k1000') =>
  (world: World) =>
    request('GET', `/object/authenticated/${path}`, [['Authorization', `Bearer ${world.tokens.A}`], ...headers])

const NOT_SATISFIABLE: Outcome = {
  says: '416 with the size',
  fits: (heard) =>
    unfolded(416, 'InvalidRange').fits(heard) &&
    heard.answers[0] !== undefined &&
    headerOf(heard.answers[0], 'content-range') === 'bytes */1000',
}
const WHOLE = json('the whole object', (_, { body }) => body.length === 1_000)
const part = (range: string, length: number): Outcome => ({
  says: `206 ${range}`,
  fits: ({ answers: [answer] }) =>
    answer?.status === 206 && headerOf(answer, 'content-range') === `bytes ${range}/1000` && answer.body.length === length,
})

/** Where the bytes of an object lie. */
async function fileOf(world: World, bucket: string, key: string): Promise<string> {
  const { rows } = await world.db.query<{ version: string }>('select version from storage.objects where bucket_id = $1 and name = $2', [
    bucket,
    key,
  ])
  const version = rows[0]?.version ?? ''
  return join(world.service.env.STOWAGE_DATA ?? '', 'bytes', version.slice(0, 2), version.slice(2, 4), version)
}

const put = (world: World, key: string, body: string | Buffer): Promise<Answer> => world.ask('PUT', `/object/priv/${key}`, { body })
const get = (world: World, key: string, headers: readonly Header[] = []): Promise<Answer> =>
  world.ask('GET', `/object/authenticated/priv/${key}`, { headers })

const BEHIND_THE_END = 'recorded: what is no range by RFC 9110 14.1.2 is passed over'

export const RANGES: readonly Attack[] = [
  ...each<readonly [string, Outcome]>(
    [
      ['bytes=-0', NOT_SATISFIABLE],
      ['bytes=1000-', NOT_SATISFIABLE],
      ['bytes=1000-2000', NOT_SATISFIABLE],
      ['bytes=5-2', WHOLE],
      ['bytes=-', WHOLE],
      ['bytes=', WHOLE],
    ],
    ([range, outcome]) => ({ id: 'RG-02', what: range, send: read([['Range', range]]), outcome, note: BEHIND_THE_END }),
  ),
  ...each<readonly [string, Outcome]>(
    [
      ['bytes=0-18446744073709551616', part('0-999', 1_000)],
      ['bytes=9007199254740993-', NOT_SATISFIABLE],
      ['bytes=9007199254740993-9007199254740995', NOT_SATISFIABLE],
      ['bytes=-99999999999999999999', part('0-999', 1_000)],
      [`bytes=-${'9'.repeat(400)}`, part('0-999', 1_000)],
      [`bytes=${'9'.repeat(400)}-`, NOT_SATISFIABLE],
      [`bytes=${'0'.repeat(400)}1-${'0'.repeat(400)}2`, part('1-2', 2)],
      ['bytes=1e2-', WHOLE],
      ['bytes=0x0-', WHOLE],
      ['bytes= 0-1', WHOLE],
      ['bytes=0-1;x', WHOLE],
      ['bytes=+0-1', WHOLE],
      ['bytes=0--1', WHOLE],
      ['bytes=--1', WHOLE],
      ['bytes=0.5-1', WHOLE],
      ['bytes=\u0660-\u0661', status(400, 200)],
      ['bytes=Infinity-', WHOLE],
      ['bytes=NaN-NaN', WHOLE],
    ],
    ([range, outcome], _what) => ({ id: 'RG-03', what: shown(range), send: read([['Range', range]]), outcome, note: BEHIND_THE_END }),
  ),
  ...each<readonly [string, readonly Header[], Outcome]>(
    [
      ['another unit', [['Range', 'items=0-1']], WHOLE],
      [
        'twice',
        [
          ['Range', 'bytes=0-1'],
          ['Range', 'bytes=5-6'],
        ],
        either(WHOLE, part('0-1', 2)),
      ],
      ['many ranges', [['Range', `bytes=${Array.from({ length: 1_000 }, (_, i) => `${i}-${i}`).join(',')}`]], WHOLE],
      ['overlapping ranges', [['Range', 'bytes=0-,0-,0-,0-']], WHOLE],
      ['8 KB', [['Range', `bytes=${'0'.repeat(8_000)}-`]], part('0-999', 1_000)],
      ['8 KB of nonsense', [['Range', '='.repeat(8_000)]], WHOLE],
      ['no unit', [['Range', '0-1']], WHOLE],
    ],
    ([what, headers, outcome]) => ({ id: 'RG-05', what, send: read(headers), outcome, note: BEHIND_THE_END }),
  ),
  {
    id: 'RG-06',
    what: 'every range of an empty object',
    play: async (world) => {
      await put(world, 'rg-06', '')
      for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1', 'bytes=-0', 'bytes=5-9']) {
        const answer = await get(world, 'rg-06', [['Range', range]])
        expect([answer.status, headerOf(answer, 'content-range')], range).toEqual([416, 'bytes */0'])
      }
      expect((await get(world, 'rg-06')).status).toBe(200)
    },
  },
  {
    id: 'RG-09',
    what: 'If-None-Match that does not match stands above a date in the future',
    send: read([
      ['If-None-Match', '"x"'],
      ['If-Modified-Since', 'Fri, 31 Dec 2100 23:59:59 GMT'],
    ]),
    outcome: WHOLE,
  },
  ...each(
    [
      'garbage',
      'Fri, 31 Dec 9999 23:59:59 GMT',
      'Thu, 01 Jan 1960 00:00:00 GMT',
      '2020-01-01',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
      '0',
      '-1',
      '1e400',
      '',
      'Fri, 32 Foo 2020 99:99:99 GMT',
      'x'.repeat(8_000),
      '\u00ff',
    ],
    (date, what) => ({
      id: 'RG-10',
      what: `dates of conditions: ${what}`,
      play: async (world) => {
        for (const name of ['If-Modified-Since', 'If-Unmodified-Since', 'If-Range']) {
          const { answers } = await world.send(
            read([
              [name, date],
              ['Range', 'bytes=0-1'],
            ])(world),
          )
          expect(answers[0]?.status, name).toBeOneOf([200, 206, 304, 412])
        }
      },
    }),
  ),
  ...each(
    [
      '"',
      '""',
      '"a',
      'W/',
      'W/"x"',
      '*',
      ',,,',
      '"a","b",',
      '"'.repeat(8_000),
      `"a",${' '.repeat(8_000)}`,
      `${'"a",'.repeat(2_000)}`,
      `${', '.repeat(4_000)}"x`,
      '\u00ff"',
      '"x" "y"',
    ],
    (tag, what) => ({
      id: 'RG-101',
      what: `tags of conditions: ${what}`,
      maxLoopDelay: 50,
      play: async (world) => {
        for (const name of ['If-Match', 'If-None-Match', 'If-Range']) {
          const { answers } = await world.send(
            read([
              [name, tag],
              ['Range', 'bytes=0-1'],
            ])(world),
          )
          expect(answers[0]?.status, name).toBeOneOf([200, 206, 304, 412])
        }
      },
    }),
  ),
  {
    id: 'RG-11',
    what: 'If-Range with the tag of an older version gives the new one whole',
    play: async (world) => {
      await put(world, 'rg-11', 'old-old-old')
      const etag = headerOf(await get(world, 'rg-11'), 'etag') ?? ''
      await put(world, 'rg-11', 'new-new')
      const answer = await get(world, 'rg-11', [
        ['If-Range', etag],
        ['Range', 'bytes=0-2'],
      ])
      expect([answer.status, answer.body.toString()]).toEqual([200, 'new-new'])
    },
  },
  {
    id: 'RG-12',
    what: 'read in a hundred parts while overwritten fifty times',
    play: async (world) => {
      const version = (n: number) => Buffer.alloc(1_000, 65 + (n % 26))
      await put(world, 'rg-12', version(0))
      const writing = (async () => {
        for (let n = 1; n <= 50; n++) await put(world, 'rg-12', version(n))
      })()
      let known: { etag: string; letter: number } | null = null
      for (let i = 0; i < 100; i++) {
        const first = i * 10
        const answer = await get(world, 'rg-12', [
          ['Range', `bytes=${first}-${first + 9}`],
          ...(known ? ([['If-Range', known.etag]] as const) : []),
        ])
        expect(answer.status).toBeOneOf([200, 206])
        const letters = new Set(answer.body)
        expect(letters.size).toBe(1)
        const [letter = 0] = letters
        if (answer.status === 206 && known) expect(letter).toBe(known.letter)
        known = { etag: headerOf(answer, 'etag') ?? '', letter }
      }
      await writing
    },
  },
  {
    id: 'RG-14',
    what: 'Accept-Encoding changes nothing',
    play: async (world) => {
      for (const coding of ['gzip, br, *;q=0', 'identity;q=0', '*;q=0', 'gzip'.repeat(1_000)]) {
        const answer = await get(world, 'k1000', [
          ['Accept-Encoding', coding],
          ['Range', 'bytes=0-9'],
        ])
        expect([answer.status, answer.body.length, headerOf(answer, 'content-encoding')]).toEqual([206, 10, undefined])
        const whole = await get(world, 'k1000', [['Accept-Encoding', coding]])
        expect([whole.status, whole.body.length, headerOf(whole, 'content-length')]).toEqual([200, 1_000, '1000'])
      }
    },
  },
  {
    id: 'RG-16',
    what: 'the ETag is that of the content',
    play: async (world) => {
      await Promise.all([put(world, 'rg-16-a', 'same'), put(world, 'rg-16-b', 'same'), put(world, 'rg-16-c', 'diff')])
      const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(async (name) => headerOf(await get(world, `rg-16-${name}`), 'etag')))
      expect(a).toBe(b)
      expect(a).not.toBe(c)
      await put(world, 'rg-16-a', 'same')
      expect(headerOf(await get(world, 'rg-16-a'), 'etag')).toBe(a)
    },
  },
  {
    id: 'RG-17',
    what: 'the row is there and its file is not',
    alarms: true,
    play: async (world) => {
      await put(world, 'rg-17', 'x')
      await rm(await fileOf(world, 'priv', 'rg-17'))
      for (const path of ['/object/authenticated/priv/rg-17', '/object/priv/rg-17']) {
        const answer = await world.ask('GET', path)
        expect([answer.status, storageError(answer)?.statusCode, storageError(answer)?.message]).toEqual([
          400,
          '404',
          'The resource was not found',
        ])
      }
      await expect.poll(world.service.said).toContain('an object has no bytes in the store')
      const copied = await world.ask('POST', '/object/copy', { body: { bucketId: 'priv', sourceKey: 'rg-17', destinationKey: 'rg-17-b' } })
      expect(storageError(copied)?.statusCode).toBe('404')
      expect((await world.ask('DELETE', '/object/priv/rg-17')).status).toBe(200)
    },
  },
  ...each([10, 300_000], (size) => ({
    id: 'RG-18',
    what: `a file of ${size} bytes was cut: never a short answer that looks whole`,
    alarms: true,
    mayAnswer: [500],
    play: async (world) => {
      await put(world, 'rg-18', Buffer.alloc(size, 'x'))
      await truncate(await fileOf(world, 'priv', 'rg-18'), size / 2)
      const { answers, ended } = await world.send(read([], 'priv/rg-18')(world))
      const [answer] = answers
      expect(answer === undefined || answer.cut || answer.status >= 400, `${answer?.status} ${ended}`).toBe(true)
      const { answers: parts } = await world.send(read([['Range', `bytes=${size - 5}-`]], 'priv/rg-18')(world))
      expect(parts[0] === undefined || parts[0].cut || parts[0].status >= 400).toBe(true)
      expect((await world.ask('DELETE', '/object/priv/rg-18')).status).toBe(200)
    },
  })),
  {
    id: 'RG-102',
    what: 'HEAD with a range, conditions and a body',
    send: ({ tokens }) =>
      request(
        'HEAD',
        '/object/authenticated/priv/k1000',
        [
          ['Authorization', `Bearer ${tokens.A}`],
          ['Range', 'bytes=0-1'],
          ['Content-Length', '3'],
        ],
        'xyz',
      ),
    options: { bodiless: true },
    outcome: OK,
  },
]
