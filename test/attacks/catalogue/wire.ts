import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { crowd } from '../../support/crowd.ts'
import { type Attack, each, shown } from '../attack.ts'
import { CLOSED, either, folded, OK, type Outcome, refusedAndClosed, status, storageError, text } from '../outcome.ts'
import { chunk, head, headerOf, headersOf, jsonOf, LAST_CHUNK, request } from '../raw.ts'
import { connectionsTo } from '../standing.ts'
import type { World } from '../world.ts'

type Header = readonly [name: string, value: string]

/** Three seconds of idle time are settled for these attacks (wire.test.ts), and connections are looked at now and then. */
const CLOSED_MS = 9_000

const HIDDEN = 'GET /object/authenticated/priv/a.txt HTTP/1.1\r\nHost: x\r\n\r\n'

/** A request whose end two programs might see in different places, with another one hidden behind it. */
const smuggled = (headers: string, body: string) => (world: World) =>
  `POST /object/priv/smuggled HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.tokens.A}\r\n${headers}\r\n\r\n${body}${HIDDEN}`

const get =
  (headers: readonly Header[], target = '/object/authenticated/priv/a.txt') =>
  (world: World) =>
    request('GET', target, [['Authorization', `Bearer ${world.tokens.A}`], ...headers])

const THE_TEXT = text('the text of A')

/** Refused, or taken for one request; never for two. */
const ONE_AT_MOST: Outcome = {
  says: 'one answer at most, and the connection closed',
  fits: ({ answers, ended }) => answers.length <= 1 && ended !== 'still open',
}

/** Opens sockets that say nothing by themselves. */
const sockets = (world: World, count: number, first = ''): Promise<readonly ReturnType<typeof connect>[]> =>
  Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof connect>>((resolve) => {
          const socket = connect({ host: '127.0.0.1', port: world.service.port })
          socket.on('error', () => resolve(socket))
          socket.once('connect', () => {
            if (first) socket.write(first)
            resolve(socket)
          })
        }),
    ),
  )

export const WIRE: readonly Attack[] = [
  {
    id: 'HT-01',
    what: 'Content-Length and Transfer-Encoding with a second request behind',
    send: smuggled('Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    outcome: refusedAndClosed(400),
  },
  {
    id: 'HT-01',
    what: 'Transfer-Encoding and Content-Length, the other way round',
    send: smuggled('Transfer-Encoding: chunked\r\nContent-Length: 5', '0\r\n\r\n'),
    outcome: refusedAndClosed(400),
  },
  ...each(
    [
      'Content-Length: 5\r\nContent-Length: 0',
      'Content-Length: 5, 5',
      'Content-Length: +5',
      'Content-Length: 0x5',
      'Content-Length: 5 5',
      'Content-Length: -1',
      'Content-Length: 5.0',
      'Content-Length: 1e1',
      'Content-Length:',
      'Content-Length: five',
      'Content-Length: 99999999999999999999999',
      'Content-Length : 5',
      'Content-Length\t: 5',
    ],
    (headers, what) => ({
      id: 'HT-101',
      what,
      send: smuggled(headers, 'abcde'),
      outcome: either(refusedAndClosed(400, 413, 431), CLOSED),
    }),
  ),
  ...each(
    [
      'xchunked',
      'identity',
      'chunked, identity',
      'chunked, chunked',
      '\x0bchunked',
      'chunked\x0b',
      ' chunked x',
      'x, chunked',
      'CHUNKED, identity',
      '"chunked"',
      'chunked;q=1',
      '',
    ],
    (coding, what) => ({
      id: 'HT-03',
      what: `Transfer-Encoding: ${what}`,
      send: smuggled(`Transfer-Encoding: ${coding}`, '0\r\n\r\n'),
      outcome: either(refusedAndClosed(400, 501), CLOSED),
      mayAnswer: [501],
    }),
  ),
  {
    id: 'HT-03',
    what: 'Transfer-Encoding twice',
    send: smuggled('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', '0\r\n\r\n'),
    outcome: refusedAndClosed(400, 501),
    mayAnswer: [501],
  },
  ...each(
    [
      'Transfer-Encoding : chunked',
      'Transfer-Encoding\x00: chunked',
      'Transfer_Encoding: chunked\r\nContent-Length: 0',
      'X: y\nTransfer-Encoding: chunked',
      'X: y\rTransfer-Encoding: chunked',
      'X:\r\n Transfer-Encoding: chunked',
      'X: y\r\n\tfolded',
      'X\x00: y',
      'X: a\x00b',
      ': no name',
      'X y: z',
      '\u00fc: y',
      'X',
      '\x01: y',
      'X(y): z',
    ],
    (headers, what) => ({
      id: 'HT-04',
      what,
      send: ({ tokens }) =>
        Buffer.from(
          `GET /object/authenticated/priv/a.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${tokens.A}\r\n${headers}\r\n\r\n`,
          'latin1',
        ),
      outcome:
        headers.startsWith('Transfer_') || headers.startsWith('X: y\r\n\t') || headers.startsWith('X:\r\n')
          ? either(refusedAndClosed(400), THE_TEXT)
          : refusedAndClosed(400),
    }),
  ),
  ...each(['gzip, chunked', 'gzip', 'deflate', 'br, chunked'], (coding) => ({
    id: 'HT-07',
    what: `Transfer-Encoding: ${coding}`,
    send: smuggled(`Transfer-Encoding: ${coding}`, '0\r\n\r\n'),
    outcome: refusedAndClosed(400, 501),
    mayAnswer: [501],
  })),
  { id: 'HT-08', what: 'a header of 17 KB', send: get([['X', 'x'.repeat(17_000)]]), outcome: refusedAndClosed(431) },
  { id: 'HT-08', what: 'a header of 1 MB', send: get([['X', 'x'.repeat(1_000_000)]]), outcome: either(refusedAndClosed(431), CLOSED) },
  { id: 'HT-08', what: 'a header name of 17 KB', send: get([['X'.repeat(17_000), 'x']]), outcome: refusedAndClosed(431) },
  {
    id: 'HT-08',
    what: 'an address of 20 KB',
    send: get([], `/object/authenticated/priv/${'k'.repeat(20_000)}`),
    outcome: refusedAndClosed(431, 414),
  },
  {
    id: 'HT-08',
    what: 'a query of 20 KB',
    send: get([], `/object/authenticated/priv/a.txt?${'q'.repeat(20_000)}`),
    outcome: refusedAndClosed(431, 414),
  },
  {
    id: 'HT-08',
    what: '2,500 headers before Authorization',
    send: ({ tokens }) =>
      request('GET', '/object/authenticated/priv/a.txt', [
        ...Array.from({ length: 2_500 }, (): Header => ['a', '']),
        ['Authorization', `Bearer ${tokens.A}`],
      ]),
    outcome: either(refusedAndClosed(431), THE_TEXT),
  },
  {
    id: 'HT-08',
    what: '1,200 headers of different names before Authorization',
    send: ({ tokens }) =>
      request('GET', '/object/authenticated/priv/a.txt', [
        ...Array.from({ length: 1_200 }, (_, i): Header => [`a${i}`, '']),
        ['Authorization', `Bearer ${tokens.A}`],
      ]),
    outcome: either(refusedAndClosed(431), THE_TEXT),
  },
  {
    id: 'HT-08',
    what: 'headers called __proto__ and constructor',
    send: get([
      ['__proto__', 'x'],
      ['constructor', 'x'],
      ['hasOwnProperty', 'x'],
      ['toString', 'x'],
    ]),
    outcome: THE_TEXT,
  },
  {
    id: 'HT-09',
    what: 'a part of the path of 3,000 characters',
    send: get([], `/bucket/${'b'.repeat(3_000)}`),
    outcome: status(414, 400, 404),
  },
  { id: 'HT-09', what: 'a path of 5,000 parts', send: get([], '/x'.repeat(5_000)), outcome: status(414, 400, 404) },
  {
    id: 'HT-10',
    what: 'a header every half second, for ever',
    play: async (world) => {
      const heard = await world.send(['GET / HTTP/1.1\r\nHost: x\r\n', ...Array.from({ length: 20 }, (_, i) => `X-${i}: y\r\n`)], {
        pause: 500,
        patience: 9_000,
      })
      expect([heard.answers[0]?.status, heard.ended !== 'still open']).toEqual([408, true])
    },
  },
  {
    id: 'HT-10',
    what: 'fifty connections that say nothing, or half a line',
    play: async (world) => {
      const opened = [...(await sockets(world, 25)), ...(await sockets(world, 25, 'GET / HT'))]
      const closed = Promise.all(
        opened.map((socket) => {
          socket.resume()
          return socket.closed ? null : new Promise((resolve) => socket.once('close', resolve))
        }),
      )
      await Promise.race([closed, sleep(CLOSED_MS * crowd()).then(() => Promise.reject(new Error('still open')))])
    },
  },
  ...each(
    [
      ['raw', 60],
      ['GraphQL', 20],
    ] as const,
    ([kind]) => ({
      id: 'HT-102',
      what: `a body that stops in the middle: ${kind}`,
      play: async (world) => {
        const begun =
          kind === 'raw'
            ? head('POST /object/priv/stops HTTP/1.1', [
                ['Host', 'x'],
                ['Authorization', `Bearer ${world.tokens.A}`],
                ['Content-Length', '100000'],
              ])
            : head('POST /graphql/v1 HTTP/1.1', [
                ['Host', 'x'],
                ['apiKey', world.tokens.anon],
                ['Content-Type', 'application/json'],
                ['Content-Length', '100000'],
              ])
        const heard = await world.send([begun, 'x'.repeat(100)], { patience: 9_000 })
        expect(heard.ended, 'the idle timeout ends it').not.toBe('still open')
        expect((await world.ask('HEAD', '/object/authenticated/priv/stops')).status).toBe(400)
      },
    }),
  ),
  {
    id: 'HT-12',
    what: 'sixty connections that ask for a file and never read it',
    play: async (world) => {
      await world.ask('POST', '/object/pub/ht-12', { headers: [['x-upsert', 'true']], body: Buffer.alloc(48 * 2 ** 20, 'x') })
      const opened = await sockets(world, 60, 'GET /object/public/pub/ht-12 HTTP/1.1\r\nHost: x\r\n\r\n')
      for (const socket of opened) socket.pause()
      let most = 0
      const until = performance.now() + CLOSED_MS * crowd()
      while (performance.now() < until && (await connectionsTo(world.service.port)).length > 0) {
        most = Math.max(most, (await world.service.ask()).residentBytes)
        await sleep(100)
      }
      expect(await connectionsTo(world.service.port), 'connections after the idle timeout').toEqual([])
      expect(most / 2 ** 20, 'MiB').toBeLessThan(300)
      for (const socket of opened) socket.destroy()
      await world.ask('DELETE', '/object/pub/ht-12')
    },
  },
  { id: 'HT-14', what: 'no Host', send: 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', outcome: refusedAndClosed(400) },
  {
    id: 'HT-14',
    what: 'an empty Host',
    send: 'GET /health/live HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n',
    outcome: refusedAndClosed(400),
  },
  { id: 'HT-15', what: 'two Hosts', send: 'GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', outcome: refusedAndClosed(400) },
  {
    id: 'HT-15',
    what: 'the same Host twice',
    send: 'GET /health/live HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n',
    outcome: refusedAndClosed(400),
  },
  ...each(['x y', 'x, y', 'x/y', 'x@y', 'x:99999', '[::1', '\u00e9', 'evil.example'], (host, what) => ({
    id: 'HT-15',
    what: `Host: ${what}`,
    send: head('GET /health/live HTTP/1.1', [
      ['Host', host],
      ['Connection', 'close'],
    ]),
    outcome: status(200, 400),
    note: 'nothing is made of the host; addresses in answers are paths',
  })),
  ...each<readonly [string, Outcome]>(
    [
      ['FOO / HTTP/1.1', refusedAndClosed(400)],
      ['TRACE / HTTP/1.1', status(404, 405)],
      ['PROPFIND / HTTP/1.1', status(404, 405)],
      ['LOCK /object/priv/a.txt HTTP/1.1', status(404, 405)],
      ['CONNECT x:80 HTTP/1.1', either(CLOSED, status(400, 404, 405))],
      ['OPTIONS * HTTP/1.1', status(204, 200, 400, 404)],
      ['GET\t/health/live HTTP/1.1', refusedAndClosed(400)],
      ['GET  /health/live HTTP/1.1', either(refusedAndClosed(400), OK)],
      ['GET /health/live  HTTP/1.1', either(refusedAndClosed(400), OK)],
      ['get /health/live HTTP/1.1', refusedAndClosed(400)],
      ['GET /health/live HTTP/1.1 x', refusedAndClosed(400)],
      ['GET /health/live HTTP/1.2', refusedAndClosed(400)],
      ['GET /health/live HTTP/2.0', refusedAndClosed(400, 505)],
      ['GET /health/live HTTP/11', refusedAndClosed(400)],
      ['GET /health/live http/1.1', refusedAndClosed(400)],
      ['GET /health/live HTTP/0.9', refusedAndClosed(400, 505)],
      ['GET /health/live RTSP/1.0', either(refusedAndClosed(400), OK)],
      ['SOURCE / ICE/1.0', either(refusedAndClosed(400), status(404))],
      ['QUERY /object/authenticated/priv/a.txt HTTP/1.1', status(400, 404, 405)],
      ['PRI * HTTP/2.0', refusedAndClosed(400, 505)],
    ],
    ([line, outcome]) => ({ id: 'HT-16', what: shown(line), send: `${line}\r\nHost: x\r\nConnection: close\r\n\r\n`, outcome }),
  ),
  ...each(['websocket', 'h2c', 'TLS/1.0', 'x'.repeat(1_000)], (protocol, what) => ({
    id: 'HT-18',
    what: `Upgrade: ${what}`,
    send: ({ tokens }) =>
      head('GET /object/authenticated/priv/a.txt HTTP/1.1', [
        ['Host', 'x'],
        ['Connection', 'Upgrade, HTTP2-Settings'],
        ['Upgrade', protocol],
        ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
        ['Authorization', `Bearer ${tokens.A}`],
      ]),
    options: { answers: 1 },
    outcome: {
      says: 'the answer as without it',
      fits: ({ answers: [answer] }) => answer?.body.toString() === 'the text of A' || answer?.status === 400,
    },
  })),
  { id: 'HT-20', what: 'a line without a version', send: 'GET /object/public/pub/x\r\n\r\n', outcome: refusedAndClosed(400) },
  { id: 'HT-20', what: 'a line without a version, and a head', send: 'GET /\r\nHost: x\r\n\r\n', outcome: refusedAndClosed(400) },
  ...each<Header>(
    [
      ['X-HTTP-Method-Override', 'DELETE'],
      ['X-HTTP-Method', 'DELETE'],
      ['X-Method-Override', 'DELETE'],
      ['X-Original-URL', '/object/authenticated/priv/k1000'],
      ['X-Rewrite-URL', '/object/authenticated/priv/k1000'],
      ['X-Original-Method', 'DELETE'],
      ['X-Forwarded-Prefix', '/../..'],
      ['X-Forwarded-Uri', '/object/authenticated/priv/k1000'],
    ],
    ([name, value]) => ({ id: 'HT-21', what: `${name}: ${value}`, send: get([[name, value]]), outcome: THE_TEXT }),
  ),
  { id: 'HT-21', what: '?_method=DELETE', send: get([], '/object/authenticated/priv/a.txt?_method=DELETE'), outcome: THE_TEXT },
  {
    id: 'HT-22',
    what: 'addresses that others claim to have been forwarded from',
    play: async (world) => {
      const claims: Header[] = [
        ['X-Forwarded-For', '127.0.0.1, evil'],
        ['X-Real-IP', '10.0.0.1'],
        ['Forwarded', 'for=evil;host=evil.example'],
        ['X-Forwarded-Host', 'evil.example'],
        ['X-Forwarded-Proto', 'https'],
        ['X-Forwarded-Port', '1'],
        ['Host', 'evil.example'],
      ]
      for (const [method, target, body] of [
        ['GET', '/object/authenticated/priv/a.txt', ''],
        ['POST', '/object/sign/priv/a.txt', { expiresIn: 60 }],
        ['POST', '/object/upload/sign/priv/ht-22', ''],
        ['GET', '/nothing', ''],
        ['GET', '/openapi.json', ''],
      ] as const) {
        const answer = await world.ask(method, target, { headers: claims, body })
        expect(`${JSON.stringify(answer.headers)}${answer.body}`, target).not.toContain('evil')
      }
      await sleep(300)
      expect(world.service.said()).not.toContain('evil.example')
    },
  },
  ...each(['a\r\nSet-Cookie: x=1', 'a\nb', '\u00fc', 'x'.repeat(65_536), '\0', ''], (value, what) => ({
    id: 'HT-24',
    what: `a row whose type, cache control, tag and robots rule are ${what}: the object is still served`,
    play: async (world) => {
      await world.ask('PUT', '/object/pub/ht-24', { headers: [['Content-Type', 'text/plain']], body: 'served' })
      const stored = value.replace('\0', '')
      await world.db.query(
        `update storage.objects set metadata = metadata || jsonb_build_object('mimetype', $1::text, 'cacheControl', $1::text, 'eTag', $1::text, 'xRobotsTag', $1::text) where bucket_id = 'pub' and name = 'ht-24'`,
        [stored],
      )
      for (const target of ['/object/public/pub/ht-24', '/object/pub/ht-24', '/object/authenticated/pub/ht-24']) {
        const answer = await world.ask('GET', target)
        expect([answer.status, answer.body.toString()]).toEqual([200, 'served'])
        expect(headersOf(answer, 'set-cookie')).toEqual([])
        expect(headersOf(answer, 'content-type')).toHaveLength(1)
      }
      for (const target of ['/object/info/authenticated/pub/ht-24', '/object/info/public/pub/ht-24'])
        expect((await world.ask('GET', target)).status).toBe(200)
      expect((await world.ask('HEAD', '/object/public/pub/ht-24')).status).toBe(200)
      expect(
        (
          await world.ask('POST', '/object/copy', {
            headers: [['x-upsert', 'true']],
            body: { bucketId: 'pub', sourceKey: 'ht-24', destinationKey: 'ht-24-b' },
          })
        ).status,
      ).toBeOneOf([200, 400])
    },
  })),
  ...each(
    [
      'null',
      '"text"',
      '[]',
      '5',
      '{"size":"x"}',
      '{"size":-1,"mimetype":5,"cacheControl":{},"eTag":[],"lastModified":"never"}',
      '{"size":1e300}',
      '{"size":0.5}',
      '{"lastModified":"x"}',
    ],
    (metadata, what) => ({
      id: 'HT-103',
      what: `a row whose metadata is ${what}`,
      // a size that is none is as good as missing bytes
      alarms: true,
      play: async (world) => {
        await world.ask('PUT', '/object/pub/ht-103', { body: 'served' })
        await world.db.query(
          `update storage.objects set metadata = $1::jsonb, user_metadata = $1::jsonb where bucket_id = 'pub' and name = 'ht-103'`,
          [metadata],
        )
        for (const [method, target, body] of [
          ['GET', '/object/public/pub/ht-103', ''],
          ['HEAD', '/object/public/pub/ht-103', ''],
          ['GET', '/object/info/authenticated/pub/ht-103', ''],
          ['POST', '/object/list/pub', { prefix: '' }],
          ['POST', '/object/list-v2/pub', { prefix: '' }],
          ['POST', '/object/move', { bucketId: 'pub', sourceKey: 'ht-103', destinationBucket: 'lim', destinationKey: 'x' }],
          ['POST', '/object/copy', { bucketId: 'pub', sourceKey: 'ht-103', destinationKey: 'ht-103-b' }],
          ['PUT', '/object/pub/ht-103', 'served again'],
          ['DELETE', '/object/pub/ht-103', ''],
        ] as const) {
          const { answers } = await world.send(
            request(
              method,
              target,
              [
                ['Authorization', `Bearer ${world.tokens.A}`],
                ...(typeof body === 'object' ? ([['Content-Type', 'application/json']] as const) : []),
              ],
              typeof body === 'object' ? JSON.stringify(body) : body,
            ),
            { bodiless: method === 'HEAD' },
          )
          expect(answers[0]?.status ?? 200, `${method} ${target} ${answers[0]?.body}`).toBeOneOf([200, 400])
        }
      },
    }),
  ),
  { id: 'HT-25', what: 'Expect: foo', send: get([['Expect', 'foo']]), outcome: status(417) },
  {
    id: 'HT-27',
    what: 'a thousand connections opened and closed, and three hundred that stay idle',
    play: async (world) => {
      for (let i = 0; i < 10; i++) for (const socket of await sockets(world, 100)) socket.destroy()
      const idle = await sockets(world, 300, 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
      for (const socket of idle) socket.resume()
      expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).status).toBe(200)
      const until = performance.now() + CLOSED_MS * crowd()
      while (performance.now() < until && (await connectionsTo(world.service.port)).length > 0) await sleep(100)
      expect(await connectionsTo(world.service.port), 'connections after the idle timeout').toEqual([])
      for (const socket of idle) socket.destroy()
    },
  },
  ...each<readonly Header[]>(
    [
      [['Connection', 'close, keep-alive']],
      [['Connection', 'keep-alive, x-y, authorization']],
      [['Keep-Alive', 'timeout=99999, max=99999']],
      [['Connection', ','.repeat(1_000)]],
      [['TE', 'trailers, gzip;q=1']],
      [['Proxy-Connection', 'keep-alive']],
    ],
    (headers, what) => ({
      id: 'HT-28',
      what,
      send: get(headers),
      options: { answers: 1 },
      outcome: { says: 'the text', fits: ({ answers: [answer] }) => answer?.body.toString() === 'the text of A' },
    }),
  ),
  ...each<readonly [string, Outcome]>(
    [
      ['download=a&download=b', either(folded(400), OK)],
      ['download[b]=1', either(folded(400), OK)],
      ['__proto__[x]=1', OK],
      ['constructor[prototype][x]=1', OK],
      [
        Array.from({ length: 5_000 }, (_, i) => `${i.toString(36)}`)
          .join('&')
          .slice(0, 15_000),
        either(OK, status(431)),
      ],
      ['a=%00', OK],
      ['%00=a', OK],
      ['a=%zz', either(OK, folded(400))],
      ['%', either(OK, folded(400))],
      ['&&&==&=', OK],
      ['?'.repeat(5_000), OK],
      ['width=1e400&height=-1&quality=x', either(OK, folded(400))],
      ['download=%ED%A0%80', either(OK, folded(400))],
    ],
    ([query, outcome], what) => ({ id: 'HT-31', what: `?${what}`, send: get([], `/object/authenticated/priv/a.txt?${query}`), outcome }),
  ),
  {
    id: 'HT-31',
    what: 'bodies that change the prototype of everything',
    play: async (world) => {
      const poison = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"prefix":""}'
      for (const target of ['/bucket', '/object/list/priv', '/object/move', '/object/sign/priv/a.txt', '/graphql/v1']) {
        const { answers } = await world.send(
          request(
            'POST',
            target,
            [
              ['Authorization', `Bearer ${world.tokens.A}`],
              ['apiKey', world.tokens.anon],
              ['Content-Type', 'application/json'],
            ],
            poison,
          ),
        )
        expect(answers[0]?.status, target).toBeOneOf([200, 400])
      }
      expect((jsonOf(await world.ask('GET', '/bucket')) as object[]).some((bucket) => 'polluted' in bucket)).toBe(false)
    },
  },
  ...each(
    [
      '/<script>alert(1)</script>',
      '/object/authenticated/priv/<script>',
      '/bucket/%3Cscript%3E',
      '/object/sign/priv/x?token=<script>',
      '/nothing?x=<img%20src=x>',
      '/storage/v1/<svg/onload=alert(1)>',
      '/%3Cscript%3E%ff',
      '/{{7*7}}',
    ],
    (target) => ({
      id: 'HT-32',
      what: target,
      play: async (world) => {
        const { answers } = await world.send(
          request('GET', target, [
            ['Authorization', `Bearer ${world.tokens.A}`],
            ['Accept', 'text/html'],
          ]),
        )
        const [answer] = answers
        expect(answer?.status).toBeOneOf([400, 404])
        if (answer) expect(headerOf(answer, 'content-type')).toMatch(/^application\/json/)
      },
    }),
  ),
  {
    id: 'HT-104',
    what: 'two requests in one write, with bodies, answered in order',
    play: async (world) => {
      const one = (name: string, body: string) =>
        request(
          'PUT',
          `/object/priv/${name}`,
          [
            ['Authorization', `Bearer ${world.tokens.A}`],
            ['Connection', 'keep-alive'],
          ],
          body,
        )
      const { answers } = await world.send(Buffer.concat([one('ht-104-a', 'first'), one('ht-104-b', 'second'), get([])(world)]))
      expect(answers.map((answer) => (jsonOf(answer) as { Key?: string } | undefined)?.Key ?? answer.body.toString())).toEqual([
        'priv/ht-104-a',
        'priv/ht-104-b',
        'the text of A',
      ])
      for (const [name, body] of [
        ['a', 'first'],
        ['b', 'second'],
      ])
        expect((await world.ask('GET', `/object/authenticated/priv/ht-104-${name}`)).body.toString()).toBe(body)
      // the second may not borrow the token of the first
      const borrowed = await world.send(
        Buffer.concat([one('ht-104-a', 'x'), Buffer.from(HIDDEN.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))]),
      )
      expect(borrowed.answers.map((answer) => storageError(answer)?.statusCode ?? answer.status)).toEqual([200, '400'])
    },
  },
  {
    id: 'HT-104',
    what: 'a refused upload, and a request hidden in what was not read of it',
    play: async (world) => {
      const body = `${HIDDEN}${'x'.repeat(100)}`
      for (const [name, more] of [
        ['bad%00', []],
        ['ht-104', [['Content-MD5', 'x']]],
      ] as readonly (readonly [string, readonly Header[]])[]) {
        const heard = await world.send(
          request(
            'POST',
            `/object/priv/${name}`,
            [['Authorization', `Bearer ${world.tokens.A}`], ['Connection', 'keep-alive'], ...more],
            body,
          ),
          { patience: 1_500 },
        )
        expect(heard.answers.length, name).toBe(1)
        expect(heard.received.toString()).not.toContain('the text of A')
      }
    },
  },
  {
    id: 'HT-104',
    what: 'nonsense behind a request that is being answered: no second answer inside the first',
    play: async (world) => {
      await world.ask('POST', '/object/pub/ht-104', { headers: [['x-upsert', 'true']], body: Buffer.alloc(3_000_000, 'x') })
      const { answers } = await world.send(
        Buffer.concat([request('GET', '/object/public/pub/ht-104', [['Connection', 'keep-alive']]), Buffer.from('nonsense\r\n\r\n')]),
      )
      for (const answer of answers) expect(answer.body.toString().replaceAll('x', '')).toBeOneOf(['', answer.body.toString()])
      expect(answers[0]?.body.toString()).not.toContain('HTTP/1.1')
      world.takeHeard()
    },
  },
  ...each<readonly [string, Buffer]>(
    [
      ['a chunk extension of 1 MB', Buffer.concat([Buffer.from(`1;${'x'.repeat(1_000_000)}\r\na\r\n`), LAST_CHUNK])],
      ['a chunk size beyond 64 bits', Buffer.from('ffffffffffffffff1\r\nabc')],
      ['a negative chunk size', Buffer.from('-1\r\nabc\r\n0\r\n\r\n')],
      ['a chunk size that is no number', Buffer.from('xyz\r\nabc\r\n0\r\n\r\n')],
      ['a chunk size with 0x', Buffer.from('0x3\r\nabc\r\n0\r\n\r\n')],
      ['an empty chunk size', Buffer.from('\r\nabc\r\n0\r\n\r\n')],
      ['a chunk that is longer than it says', Buffer.from('2\r\nabc\r\n0\r\n\r\n')],
      ['chunks with bare line feeds', Buffer.from('3\nabc\n0\n\n')],
      ['a chunk size of 1,000 zeros', Buffer.from(`${'0'.repeat(1_000)}3\r\nabc\r\n0\r\n\r\n`)],
      ['trailers of 1 MB', Buffer.concat([chunk('abc'), Buffer.from(`0\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`)])],
      ['100,000 trailers', Buffer.concat([chunk('abc'), Buffer.from(`0\r\n${'X: y\r\n'.repeat(100_000)}\r\n`)])],
    ],
    ([what, body]) => ({
      id: 'HT-105',
      what,
      send: ({ tokens }) =>
        Buffer.concat([
          head('PUT /object/priv/ht-105 HTTP/1.1', [
            ['Host', 'x'],
            ['Authorization', `Bearer ${tokens.A}`],
            ['Transfer-Encoding', 'chunked'],
            ['Connection', 'close'],
          ]),
          body,
        ]),
      outcome: either(ONE_AT_MOST, refusedAndClosed(400, 413)),
      options: { patience: 6_000 },
    }),
  ),
  {
    id: 'HT-105',
    what: '50,000 chunks of one byte',
    maxLoopDelay: 500,
    send: ({ tokens }) =>
      Buffer.concat([
        head('PUT /object/priv/ht-105 HTTP/1.1', [
          ['Host', 'x'],
          ['Authorization', `Bearer ${tokens.A}`],
          ['Transfer-Encoding', 'chunked'],
          ['Connection', 'close'],
        ]),
        Buffer.concat(Array.from({ length: 50_000 }, () => chunk('x'))),
        LAST_CHUNK,
      ]),
    outcome: OK,
  },
  ...each<readonly [string, Buffer]>(
    [
      ['a TLS hello', Buffer.from('16030100c8010000c40303', 'hex')],
      ['line ends', Buffer.from('\r\n'.repeat(10_000))],
      ['zeros', Buffer.alloc(100_000)],
      ['bytes of every value', Buffer.from(Array.from({ length: 65_536 }, (_, i) => i % 256))],
      ['an SSH banner', Buffer.from('SSH-2.0-x\r\n')],
      ['a PostgreSQL start', Buffer.from('0000000804d2162f', 'hex')],
      ['one byte', Buffer.from('G')],
      ['nothing', Buffer.alloc(0)],
      ['a blank line and a request', Buffer.from('\r\nGET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')],
    ],
    ([what, send]) => ({ id: 'HT-106', what: `${what}`, send, outcome: ONE_AT_MOST, options: { halfClose: true, patience: 6_000 } }),
  ),
  ...each(['https://evil.example', 'null', 'file://', '\u00ff', 'x'.repeat(10_000), 'https://a, https://b'], (origin, what) => ({
    id: 'HT-107',
    what: `Origin: ${what}`,
    play: async (world) => {
      for (const [method, more] of [
        ['GET', []],
        [
          'OPTIONS',
          [
            ['Access-Control-Request-Method', 'DELETE'],
            ['Access-Control-Request-Headers', 'x-anything'],
          ],
        ],
      ] as const) {
        const { answers } = await world.send(
          request(method, '/object/authenticated/priv/a.txt', [['Origin', origin], ['Authorization', `Bearer ${world.tokens.A}`], ...more]),
        )
        expect(answers[0]?.status).toBeOneOf([200, 204, 400])
        if (!answers[0]) continue
        expect(headerOf(answers[0], 'access-control-allow-credentials')).toBeUndefined()
        expect(headerOf(answers[0], 'access-control-allow-origin') ?? '*').toBe('*')
      }
    },
  })),
  ...each(['x'.repeat(5_000), 'a\tb', '{"a":1}', '<script>', '../../x', '\u00ff', 'fine-id_1'], (id, what) => ({
    id: 'HT-108',
    what: `X-Request-Id: ${what}`,
    play: async (world) => {
      const { answers } = await world.send(request('GET', '/health/live', [['X-Request-Id', id]]))
      const given = answers[0] && headerOf(answers[0], 'x-request-id')
      expect(given).toMatch(id === 'fine-id_1' ? /^fine-id_1$/ : /^[0-9a-f-]{36}$/)
    },
  })),
]
