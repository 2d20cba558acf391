import { expect } from 'vitest'
import { type Attack, each, shown } from '../attack.ts'
import { form, formType, type Part } from '../form.ts'
import { either, folded, OK, type Outcome, refusedAndClosed, status, storageError } from '../outcome.ts'
import { type Answer, chunk, head, headerOf, headersOf, jsonOf, LAST_CHUNK, type Payload, request } from '../raw.ts'
import { PNG, USER_A, type World } from '../world.ts'

type Header = readonly [name: string, value: string]

const MIB = 1_048_576

const upload =
  (path: string, headers: readonly Header[], body: Payload = '', method = 'POST') =>
  (world: World) =>
    request(method, `/object/${path}`, [['Authorization', `Bearer ${world.tokens.A}`], ...headers], body)

const formUpload = (path: string, parts: readonly Part[], more: readonly Header[] = []) =>
  upload(path, [formType(), ['x-upsert', 'true'], ...more], form(parts))

const isThere = async (world: World, path: string): Promise<boolean> =>
  (await world.ask('HEAD', `/object/authenticated/${path}`)).status === 200

/** Puts a file and reads it back as the world may, in a public bucket. */
async function served(world: World, name: string, type: string, body: Payload): Promise<Answer> {
  const put = await world.ask('POST', `/object/pub/${name}`, {
    headers: [
      ['Content-Type', type],
      ['x-upsert', 'true'],
    ],
    body,
  })
  expect(put.status, put.body.toString()).toBe(200)
  return world.ask('GET', `/object/public/pub/${name}`, { as: null })
}

const expectInert = (answer: Answer): void => {
  expect(answer.status).toBe(200)
  expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff')
  expect(headerOf(answer, 'content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
}

const expectFolded = (answer: Answer | undefined, ...statuses: readonly number[]): void => {
  const error = answer && storageError(answer)
  expect(answer?.status, answer?.body.toString()).toBe(400)
  expect(error?.statusCode, answer?.body.toString()).toBeOneOf(statuses.map(String))
}

const png = ['Content-Type', 'image/png'] as const
const file = (body: Payload = 'x', rest: Part = {}): Part => ({ name: 'file', filename: 'x.bin', type: 'text/plain', body, ...rest })

const ACTIVE = [
  ['text/html', '<script>alert(1)</script>'],
  ['TEXT/HTML; charset=utf-8', '<script>alert(1)</script>'],
  ['application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>'],
  ['application/xml', '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="x.xsl"?><x/>'],
  ['text/xml', '<x/>'],
  ['text/xsl', '<xsl:stylesheet/>'],
  ['application/mathml+xml', '<math/>'],
  ['application/pdf', '%PDF-1.4 /JS'],
  ['multipart/x-mixed-replace; boundary=b', '--b\r\nContent-Type: text/html\r\n\r\n<script>'],
  ['text/cache-manifest', 'CACHE MANIFEST\n/\n'],
  ['text/javascript', 'self.addEventListener("fetch", () => {})'],
  ['application/javascript', 'x'],
  ['application/x-shockwave-flash', 'FWS'],
  ['text/css', 'body{}'],
  ['application/wasm', 'x'],
  ['image/svg+xml; charset=utf-8', '<svg/>'],
  ['IMAGE/SVG+XML', '<svg/>'],
  ['image/svg', '<svg/>'],
  ['application/vnd.anything+xml', '<x/>'],
  ['x/y', 'x'],
] as const

export const UPLOADS: readonly Attack[] = [
  {
    id: 'UP-01',
    what: '10 MiB in chunks into a bucket of 1 MiB: refused at the first byte too many, and closed',
    play: async (world) => {
      const start = head('POST /object/lim/up-01.png HTTP/1.1', [
        ['Host', 'x'],
        ['Authorization', `Bearer ${world.tokens.A}`],
        png,
        ['Transfer-Encoding', 'chunked'],
      ])
      const piece = chunk(Buffer.alloc(65_536, 1))
      const heard = await world.send([start, ...Array.from({ length: 160 }, () => piece), LAST_CHUNK])
      expectFolded(heard.answers[0], 413)
      expect(heard.ended).not.toBe('still open')
      expect(await isThere(world, 'lim/up-01.png')).toBe(false)
    },
  },
  ...each(['POST', 'PUT'], (method) => ({
    id: 'UP-01',
    what: `${method}: one byte over in chunks of one byte`,
    play: async (world) => {
      await world.ask('POST', '/bucket', { as: 'service', body: { name: 'tiny', file_size_limit: 10 } })
      const start = head(`${method} /object/tiny/x HTTP/1.1`, [
        ['Host', 'x'],
        ['Authorization', `Bearer ${world.tokens.A}`],
        ['Transfer-Encoding', 'chunked'],
      ])
      const { answers } = await world.send([start, ...Array.from({ length: 11 }, () => chunk('x')), LAST_CHUNK], { answers: 1 })
      expectFolded(answers[0], 413)
    },
  })),
  {
    id: 'UP-01',
    what: 'by an address to upload to, and by a form',
    play: async (world) => {
      const { url } = jsonOf(await world.ask('POST', '/object/upload/sign/lim/up-01-b.png')) as { url: string }
      const start = head(`PUT ${url} HTTP/1.1`, [['Host', 'x'], png, ['Transfer-Encoding', 'chunked']])
      const piece = chunk(Buffer.alloc(65_536, 1))
      const { answers } = await world.send([start, ...Array.from({ length: 40 }, () => piece), LAST_CHUNK], { answers: 1 })
      expectFolded(answers[0], 413)
      const big = await world.send(formUpload('lim/up-01-b.png', [file(Buffer.alloc(MIB + 1), { type: 'image/png' })])(world), {
        answers: 1,
      })
      expectFolded(big.answers[0], 413)
      expect(await isThere(world, 'lim/up-01-b.png')).toBe(false)
    },
  },
  {
    id: 'UP-03',
    what: 'a length over the limit is refused before a byte of it was sent',
    send: ({ tokens }) =>
      head('POST /object/lim/up-03.png HTTP/1.1', [
        ['Host', 'x'],
        ['Authorization', `Bearer ${tokens.A}`],
        png,
        ['Content-Length', '2097152'],
      ]),
    outcome: refusedAndClosed(400),
    note: 'the connection is kept for a moment, so that a sender in full flow reads the answer',
  },
  {
    id: 'UP-03',
    what: 'lengths over every limit and every number',
    play: async (world) => {
      for (const length of ['5368709121', '9007199254740993', '9223372036854775808', '18446744073709551615']) {
        const { answers } = await world.send(
          head('POST /object/priv/up-03 HTTP/1.1', [
            ['Host', 'x'],
            ['Authorization', `Bearer ${world.tokens.A}`],
            ['Content-Length', length],
          ]),
          { answers: 1 },
        )
        expect(answers[0]?.status, length).toBe(400)
      }
    },
  },
  {
    id: 'UP-04',
    what: 'nothing, exactly the limit, and one more',
    play: async (world) => {
      for (const [size, wanted] of [
        [0, 200],
        [MIB, 200],
        [MIB + 1, 400],
      ] as const) {
        const { answers } = await world.send(upload(`lim/up-04-${size}.png`, [png], Buffer.alloc(size))(world), { answers: 1 })
        expect(answers[0]?.status, String(size)).toBe(wanted)
        const inChunks = [
          head(`PUT /object/lim/up-04-${size}-b.png HTTP/1.1`, [
            ['Host', 'x'],
            ['Authorization', `Bearer ${world.tokens.A}`],
            png,
            ['Transfer-Encoding', 'chunked'],
          ]),
          ...(size === 0 ? [] : [chunk(Buffer.alloc(size))]),
          LAST_CHUNK,
        ]
        expect((await world.send(inChunks, { answers: 1 })).answers[0]?.status, `${size} in chunks`).toBe(wanted)
        expect(await isThere(world, `lim/up-04-${size}-b.png`)).toBe(wanted === 200)
      }
    },
  },
  ...each<readonly [string, string, Outcome]>(
    [
      ['image/png', 'text/html', OK],
      ['text/html', 'image/png', folded(415)],
      ['image/png\0', 'image/png', folded(415)],
      ['image/png\r\nX-Y: z', 'image/png', folded(415)],
      ['i'.repeat(5_000), 'image/png', folded(415)],
    ],
    ([field, part, outcome]) => ({
      id: 'UP-07',
      what: `the field says ${shown(field)}, the part ${part}: the field decides`,
      send: formUpload('lim/up-07', [{ name: 'contentType', body: field }, file(PNG, { type: part })]),
      outcome,
    }),
  ),
  {
    id: 'UP-07',
    what: 'the field behind the file says another type',
    send: formUpload('lim/up-07', [file(PNG, { type: 'image/png' }), { name: 'contentType', body: 'text/html' }]),
    outcome: folded(415),
  },
  {
    id: 'UP-08',
    what: 'a picture that is a page',
    play: async (world) => {
      const answer = await served(world, 'up-08.png', 'image/png', '<html><script>alert(1)</script>')
      expect([headerOf(answer, 'content-type'), headerOf(answer, 'x-content-type-options')]).toEqual(['image/png', 'nosniff'])
      const polyglot = await served(world, 'up-08.gif', 'image/gif', 'GIF89a/*\0*/=1;alert(1)')
      expect([headerOf(polyglot, 'content-type'), headerOf(polyglot, 'x-content-type-options')]).toEqual(['image/gif', 'nosniff'])
    },
  },
  {
    id: 'UP-09',
    what: 'a picture with scripts in it is sandboxed wherever it is served',
    play: async (world) => {
      const svg =
        '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script><foreignObject><iframe src="javascript:alert(3)"/></foreignObject><use href="http://evil/x#y"/></svg>'
      expectInert(await served(world, 'up-09.svg', 'image/svg+xml', svg))
      for (const path of ['/object/authenticated/pub/up-09.svg', '/object/pub/up-09.svg', '/object/public/pub/up-09.svg?download=x.html'])
        expectInert(await world.ask('GET', path))
      const { signedURL } = jsonOf(await world.ask('POST', '/object/sign/pub/up-09.svg', { body: { expiresIn: 60 } })) as {
        signedURL: string
      }
      expectInert(await world.ask('GET', signedURL, { as: null }))
      const part = await world.ask('GET', '/object/public/pub/up-09.svg', { as: null, headers: [['Range', 'bytes=0-20']] })
      expect([part.status, headerOf(part, 'content-security-policy')?.startsWith('sandbox')]).toEqual([206, true])
    },
  },
  ...ACTIVE.map(
    ([type, body]): Attack => ({
      id: 'UP-10',
      what: `${shown(type) || 'no type'} is never active on our origin`,
      play: async (world) => {
        const answer = await served(world, 'up-10', type, body)
        expectInert(answer)
        expect(headerOf(answer, 'content-type') ?? '').not.toMatch(/text\/html/i)
        const worker = await world.ask('GET', '/object/public/pub/up-10', { as: null, headers: [['Service-Worker', 'script']] })
        expect(worker.status).toBe(400)
        expect(headerOf(worker, 'service-worker-allowed')).toBeUndefined()
      },
    }),
  ),
  ...each<readonly [string, Outcome]>(
    [
      ['3600\r\nX-Y: z', folded(400)],
      ['3600\nX-Y: z', folded(400)],
      ['NaN', OK],
      ['-1', OK],
      ['1'.repeat(MIB), folded(400)],
      ['1'.repeat(MIB + 1), folded(413)],
      ['public, s-maxage=9', OK],
      ['\u00fc', folded(400)],
      ['\u{1f600}', folded(400)],
      ['\0', folded(400)],
      ['9'.repeat(900), OK],
    ],
    ([value, outcome], what) => ({
      id: 'UP-12',
      what: `cacheControl ${what}`,
      note: 'recorded: what goes behind max-age= need not be digits',
      play: async (world) => {
        const heard = await world.send(formUpload('priv/up-12', [{ name: 'cacheControl', body: value }, file()])(world))
        expect(outcome.fits(heard), `${outcome.says}: ${heard.answers[0]?.body}`).toBe(true)
        if (heard.answers[0]?.status !== 200) return
        const read = await world.ask('GET', '/object/authenticated/priv/up-12')
        expect([read.status, headersOf(read, 'cache-control').length, headerOf(read, 'x-y')]).toEqual([200, 1, undefined])
      },
    }),
  ),
  ...each(['max-age=1 \u00fc', 'x'.repeat(4_000), 'max-age=\u0080', ', ,,', '"'], (value, what) => ({
    id: 'UP-12',
    what: `Cache-Control: ${what}`,
    play: async (world) => {
      const { answers } = await world.send(
        upload(
          'priv/up-12-b',
          [
            ['Cache-Control', value],
            ['x-upsert', 'true'],
          ],
          'x',
        )(world),
      )
      expect(answers[0]?.status).toBeOneOf([200, 400])
      if (answers[0]?.status === 200) expect((await world.ask('GET', '/object/authenticated/priv/up-12-b')).status).toBe(200)
    },
  })),
  {
    id: 'UP-14',
    what: 'user metadata of a mebibyte and one, in a form',
    send: formUpload('priv/up-14', [{ name: 'metadata', body: JSON.stringify({ x: 'x'.repeat(MIB) }) }, file()]),
    outcome: folded(413),
  },
  {
    id: 'UP-14',
    what: 'the same behind the file',
    send: formUpload('priv/up-14', [file(), { name: 'metadata', body: JSON.stringify({ x: 'x'.repeat(MIB) }) }]),
    outcome: folded(413),
  },
  {
    id: 'UP-14',
    what: 'user metadata of 20 KB in a header',
    send: upload('priv/up-14', [['x-metadata', Buffer.from(JSON.stringify({ x: 'x'.repeat(20_000) })).toString('base64')]], 'x'),
    outcome: status(431),
  },
  ...each<readonly [string, string, number[]]>(
    [
      ['NUL', '{"a":"\\u0000"}', [400]],
      ['NUL in a key', '{"\\u0000":1}', [400]],
      ['half of a surrogate pair', '{"a":"\\ud800"}', [400]],
      ['half of a surrogate pair in a key', '{"\\udc00":1}', [400]],
      ['1e400', '{"a":1e400}', [400]],
      ['-1e400', '{"a":[{"b":-1e400}]}', [400]],
      ['1e-400', '{"a":1e-400}', [200, 400]],
      ['1e-20000', '{"a":1e-20000}', [200, 400]],
      ['1e131073', '{"a":1e131073}', [400]],
      ['a number of 200,000 digits', `{"a":${'9'.repeat(200_000)}}`, [200, 400]],
      ['100,000 brackets', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, [400]],
      ['5,000 braces', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, [400]],
      ['999 brackets', `{"a":${'['.repeat(998)}${']'.repeat(998)}}`, [200]],
      ['the same key twice', '{"a":1,"a":2}', [200]],
      ['a key twice, bad the first time', '{"a":"\\u0000","a":2}', [200, 400]],
      ['__proto__', '{"__proto__":{"admin":true},"constructor":{"prototype":1}}', [200]],
      ['__proto__ with NUL in it', '{"__proto__":{"a":"\\u0000"}}', [400]],
      ['a list', '[1,2]', [400]],
      ['a text', '"x"', [400]],
      ['a number', '5', [200]],
      ['no JSON', '{', [200]],
      ['no UTF-8', '{"a":"\u00ff', [200]],
    ],
    ([what, metadata, statuses]) => ({
      id: 'UP-15',
      what: `user metadata with ${what}`,
      maxLoopDelay: 250,
      play: async (world) => {
        const { answers } = await world.send(formUpload('priv/up-15', [{ name: 'metadata', body: metadata }, file()])(world))
        expect(answers[0]?.status, answers[0]?.body.toString().slice(0, 300)).toBeOneOf(statuses)
        const behind = await world.send(formUpload('priv/up-15', [file(), { name: 'metadata', body: metadata }])(world))
        expect(behind.answers[0]?.status, behind.answers[0]?.body.toString().slice(0, 300)).toBeOneOf(statuses)
        if (Buffer.byteLength(metadata) > 10_000) return
        const byHeader = await world.send(
          upload(
            'priv/up-15',
            [
              ['x-upsert', 'true'],
              ['x-metadata', Buffer.from(metadata).toString('base64')],
            ],
            'x',
          )(world),
        )
        expect(byHeader.answers[0]?.status, byHeader.answers[0]?.body.toString().slice(0, 300)).toBeOneOf(statuses)
        const copied = await world.ask('POST', '/object/copy', {
          headers: [
            ['x-upsert', 'true'],
            ['x-metadata', Buffer.from(metadata).toString('base64')],
          ],
          body: { bucketId: 'priv', sourceKey: 'a.txt', destinationKey: 'up-15-copy', copyMetadata: false },
        })
        expect(copied.status, copied.body.toString()).toBeOneOf(statuses)
        if (what !== '__proto__') return
        const info = jsonOf(await world.ask('GET', '/object/info/authenticated/priv/up-15')) as { metadata: unknown }
        expect(JSON.stringify(info.metadata)).toContain('"admin"')
        expect(({} as { admin?: unknown }).admin).toBeUndefined()
      },
    }),
  ),
  ...each(
    [
      'bad\u0001',
      'x'.repeat(4_000),
      'noindex, \u00fc',
      'unavailable_after: never',
      'a: b: c: noindex',
      ':'.repeat(900),
      'max-snippet: 1e9',
      `${'a:'.repeat(450)}none`,
    ],
    (tag, what) => ({
      id: 'UP-16',
      what: `X-Robots-Tag: ${what}`,
      send: upload(
        'priv/up-16',
        [
          ['X-Robots-Tag', tag],
          ['x-upsert', 'true'],
        ],
        'x',
      ),
      outcome: tag.startsWith('bad') || tag.startsWith('a:') ? either(status(400), OK) : folded(400),
    }),
  ),
  ...each(['POST /object/priv/up-18', 'POST /object/list/priv', 'POST /graphql/v1', 'PUT /object/lim/up-18.png'], (line) => ({
    id: 'UP-18',
    what: `a byte now and then of 5 GiB: ${line}`,
    note: 'the service of these attacks gives a slow body two seconds',
    play: async (world) => {
      const start = head(`${line} HTTP/1.1`, [
        ['Host', 'x'],
        ['Authorization', `Bearer ${world.tokens.A}`],
        ['apiKey', world.tokens.anon],
        ['Content-Type', line.includes('lim') ? 'image/png' : 'application/json'],
        ['Transfer-Encoding', 'chunked'],
      ])
      const heard = await world.send([start, ...Array.from({ length: 30 }, () => chunk('['))], { pause: 200, patience: 9_000 })
      expect([heard.answers[0]?.status, heard.ended !== 'still open'], `${heard.received}`).toEqual([408, true])
    },
  })),
  ...each<readonly [string, (world: World) => Buffer]>(
    [
      ['no terminator', upload('priv/up-20', [formType()], form([file()], { end: '' }))],
      [
        'no terminator in the middle of the file',
        upload('priv/up-20', [formType()], form([file('x'.repeat(50_000))], { end: '' }).subarray(0, 40_000)),
      ],
      ['no boundary parameter', upload('priv/up-20', [['Content-Type', 'multipart/form-data']], form([file()]))],
      ['an empty boundary', upload('priv/up-20', [['Content-Type', 'multipart/form-data; boundary=']], form([file()]))],
      ['an empty quoted boundary', upload('priv/up-20', [['Content-Type', 'multipart/form-data; boundary=""']], form([file()]))],
      ['another boundary', upload('priv/up-20', [formType('another')], form([file()]))],
      ['a boundary of 200 characters that is not there', upload('priv/up-20', [formType('b'.repeat(200))], form([file()]))],
      [
        'a boundary of 10,000 characters',
        upload('priv/up-20', [formType('b'.repeat(10_000))], form([file()], { boundary: 'b'.repeat(10_000) })),
      ],
      ['a boundary that was never closed', upload('priv/up-20', [['Content-Type', 'multipart/form-data; boundary="x']], form([file()]))],
      ['an empty body', upload('priv/up-20', [formType()])],
      ['the terminator alone', upload('priv/up-20', [formType()], form([]))],
      ['no file', upload('priv/up-20', [formType()], form([{ name: 'cacheControl', body: '1' }]))],
      [
        'a head that does not end',
        upload('priv/up-20', [formType()], '--boundary-of-the-tests\r\nContent-Disposition: form-data; name="file"; filename="x"'),
      ],
      ['nonsense', upload('priv/up-20', [formType()], Buffer.alloc(100_000, '-'))],
      ['line ends without CR', upload('priv/up-20', [formType()], form([file()]).toString().replaceAll('\r\n', '\n'))],
    ],
    ([what, send]) => ({ id: 'UP-20', what: `a form with ${what}`, send, outcome: either(folded(400), folded(413)) }),
  ),
  ...each<readonly [string, (world: World) => Buffer]>(
    [
      [
        'a boundary of 200 characters',
        upload('priv/up-20', [formType('b'.repeat(200)), ['x-upsert', 'true']], form([file()], { boundary: 'b'.repeat(200) })),
      ],
      [
        'a quoted boundary with blanks',
        upload(
          'priv/up-20',
          [
            ['Content-Type', 'multipart/form-data; boundary="a b"'],
            ['x-upsert', 'true'],
          ],
          form([file()], { boundary: 'a b' }),
        ),
      ],
      [
        'a boundary in capitals',
        upload(
          'priv/up-20',
          [
            ['Content-Type', 'MULTIPART/FORM-DATA; BOUNDARY=X'],
            ['x-upsert', 'true'],
          ],
          form([file()], { boundary: 'X' }),
        ),
      ],
      [
        'text before and behind',
        upload(
          'priv/up-20',
          [formType(), ['x-upsert', 'true']],
          Buffer.concat([Buffer.from('before\r\n'), form([file()]), Buffer.from('behind')]),
        ),
      ],
      [
        'two boundaries',
        upload(
          'priv/up-20',
          [
            ['Content-Type', 'multipart/form-data; boundary=one; boundary=two'],
            ['x-upsert', 'true'],
          ],
          form([file()], { boundary: 'one' }),
        ),
      ],
    ],
    ([what, send]) => ({ id: 'UP-20', what: `a form with ${what}`, send, outcome: either(OK, folded(400)) }),
  ),
  ...each<readonly [string, readonly Part[]]>(
    [
      ['an empty field name', [{ name: '', body: 'x' }, file()]],
      ['no name', [{ body: 'x' }, file()]],
      ['a file without a name', [{ filename: 'x', type: 'text/plain', body: 'x' }]],
      ['a file with an empty name', [{ name: '', filename: 'x', type: 'text/plain', body: 'x' }]],
      ['no filename', [{ name: 'file', type: 'application/octet-stream', body: 'x' }]],
      ['an empty filename', [{ name: 'file', filename: '', type: 'text/plain', body: 'x' }]],
      ['no Content-Disposition', [{ name: null, type: 'text/plain', body: 'x' }, file()]],
      ['Content-Disposition alone', [{ name: null, headers: ['Content-Disposition:'], body: 'x' }, file()]],
      ['an attachment', [{ name: null, headers: ['Content-Disposition: attachment; name="file"; filename="x"'], body: 'x' }, file()]],
      ['a filename with a path', [file('x', { filename: '../../../etc/passwd' })]],
      ['a filename with NUL', [file('x', { filename: 'a\0b' })]],
      [
        'an encoded filename',
        [{ name: null, headers: ["Content-Disposition: form-data; name=file; filename*=UTF-8''%e2%82%ac%ff%00"], body: 'x' }, file()],
      ],
      [
        'a filename in an unknown charset',
        [{ name: null, headers: ["Content-Disposition: form-data; name=file; filename*=x-unknown'en'%ff"], body: 'x' }, file()],
      ],
      [
        'a filename in parts',
        [{ name: null, headers: ['Content-Disposition: form-data; name=file; filename*0=a; filename*1=b'], body: 'x' }, file()],
      ],
      ['a type that is none', [file('x', { type: 'nonsense' })]],
      ['an empty type', [file('x', { type: '' })]],
      [
        'a charset that is none',
        [file('x', { type: 'text/plain; charset=klingon' }), { name: 'cacheControl', type: 'text/plain; charset=klingon', body: '1' }],
      ],
      [
        'UTF-16 in a field',
        [{ name: 'cacheControl', type: 'text/plain; charset=utf-16le', body: Buffer.from('6\x000\x00', 'latin1') }, file()],
      ],
      ['a field that is no UTF-8', [{ name: 'cacheControl', body: Buffer.from([0xff, 0xfe]) }, file()]],
      ['__proto__', [{ name: '__proto__', body: 'x' }, file()]],
      ['constructor', [{ name: 'constructor', body: 'x' }, file()]],
      ['prototype', [{ name: 'prototype', body: 'x' }, file()]],
      ['__proto__[x]', [{ name: '__proto__[x]', body: 'x' }, file()]],
      ['a file called __proto__', [{ name: '__proto__', filename: 'x', body: 'x' }]],
    ],
    ([what, parts]) => ({
      id: what.includes('proto') || what === 'constructor' ? 'UP-22' : 'UP-21',
      what: `a form with ${what}`,
      send: formUpload('priv/up-21', parts),
      outcome: either(OK, folded(400)),
    }),
  ),
  {
    id: 'UP-21',
    what: 'a field name of 1 MB',
    send: formUpload('priv/up-21', [{ name: 'n'.repeat(MIB), body: 'x' }, file()]),
    outcome: either(folded(400), folded(413), OK),
  },
  ...each<readonly [string, readonly Part[], readonly number[]]>(
    [
      ['5,000 empty parts', Array.from({ length: 5_000 }, () => ({ name: 'x' })), [400, 413]],
      ['1,000 fields', [...Array.from({ length: 1_000 }, (_, i) => ({ name: `f${i}`, body: 'x' })), file()], [400, 413]],
      ['eleven fields that count', [...Array.from({ length: 11 }, () => ({ name: 'cacheControl', body: '1' })), file()], [400, 413]],
    ],
    ([what, parts, statuses]) => ({
      id: 'UP-24',
      what,
      play: async (world) => {
        const { answers } = await world.send(formUpload('priv/up-24', parts)(world), { answers: 1 })
        expectFolded(answers[0], ...statuses)
        const behind = await world.send(formUpload('priv/up-24', [...parts].reverse())(world), { answers: 1 })
        expect(behind.answers[0]?.status).toBeOneOf([200, 400])
      },
    }),
  ),
  {
    id: 'UP-24',
    what: 'of two files the first counts',
    play: async (world) => {
      const { answers } = await world.send(formUpload('priv/up-24-b', [file('first'), file('second', { type: 'text/html' })])(world))
      expect(answers[0]?.status).toBe(200)
      expect((await world.ask('GET', '/object/authenticated/priv/up-24-b')).body.toString()).toBe('first')
    },
  },
  ...each<readonly [string, readonly Part[]]>(
    [
      ['a part header of 100 KB without a colon', [{ name: 'file', filename: 'x', headers: ['h'.repeat(100_000)], body: 'x' }]],
      ['2,000 part headers', [{ name: 'file', filename: 'x', headers: Array.from({ length: 2_000 }, (_, i) => `X-${i}: y`), body: 'x' }]],
      ['a part header of 100 KB', [{ name: 'file', filename: 'x', headers: [`X: ${'h'.repeat(100_000)}`], body: 'x' }]],
      [
        'a disposition of 15 KB of quotes',
        [{ name: null, headers: [`Content-Disposition: form-data; name="${'\\"'.repeat(7_000)}`], body: 'x' }],
      ],
    ],
    ([what, parts]) => ({
      id: 'UP-25',
      what,
      maxLoopDelay: 50,
      play: async (world) => {
        const { answers } = await world.send(formUpload('priv/up-25', parts)(world), { answers: 1 })
        expect(answers[0]?.status, answers[0]?.body.toString()).toBeOneOf([200, 400])
      },
    }),
  ),
  {
    id: 'UP-27',
    what: 'fields behind the file count, and are looked at',
    play: async (world) => {
      const put = await world.send(
        formUpload('priv/up-27', [file('x'.repeat(300_000)), { name: 'cacheControl', body: '77' }, { name: 'metadata', body: '{"a":1}' }])(
          world,
        ),
      )
      expect(put.answers[0]?.status).toBe(200)
      const info = jsonOf(await world.ask('GET', '/object/info/authenticated/priv/up-27'))
      expect(info).toMatchObject({ cache_control: 'max-age=77', metadata: { a: 1 } })
    },
  },
  {
    id: 'UP-28',
    what: 'a form in a form, and encoded files, are the bytes that they are',
    play: async (world) => {
      for (const part of [
        file('eHg=', { headers: ['Content-Transfer-Encoding: base64'] }),
        file('=41', { headers: ['Content-Transfer-Encoding: quoted-printable'] }),
        file('--inner\r\n\r\nx\r\n--inner--', { type: 'multipart/mixed; boundary=inner' }),
      ]) {
        const { answers } = await world.send(formUpload('priv/up-28', [part])(world))
        expect(answers[0]?.status).toBeOneOf([200, 400])
        if (answers[0]?.status === 200) expect((await world.ask('GET', '/object/authenticated/priv/up-28')).body.toString()).toBe(part.body)
      }
    },
  },
  {
    id: 'UP-31',
    what: 'Expect: 100-continue with a length over the limit: no go-ahead',
    play: async (world) => {
      const heard = await world.send(
        head('POST /object/lim/up-31.png HTTP/1.1', [
          ['Host', 'x'],
          ['Authorization', `Bearer ${world.tokens.A}`],
          png,
          ['Content-Length', '2097152'],
          ['Expect', '100-continue'],
        ]),
      )
      expectFolded(heard.answers[0], 413)
    },
  },
  {
    id: 'UP-31',
    what: 'Expect: 100-continue with a body that fits',
    play: async (world) => {
      const start = head('POST /object/lim/up-31-b.png HTTP/1.1', [
        ['Host', 'x'],
        ['Authorization', `Bearer ${world.tokens.A}`],
        png,
        ['Content-Length', '3'],
        ['Expect', '100-continue'],
        ['Connection', 'close'],
      ])
      const heard = await world.send([start, 'abc'], { pause: 50 })
      expect(heard.answers[0]?.status).toBe(200)
    },
  },
  ...each(['Content-Length: 1', 'Authorization: Bearer x', 'Transfer-Encoding: chunked', 'Host: evil', 'x-upsert: true'], (trailer) => ({
    id: 'UP-32',
    what: `the trailer ${trailer}`,
    play: async (world) => {
      const start = head('PUT /object/priv/up-32 HTTP/1.1', [
        ['Host', 'x'],
        ['Authorization', `Bearer ${world.tokens.A}`],
        ['Transfer-Encoding', 'chunked'],
        ['Connection', 'close'],
      ])
      const { answers } = await world.send([start, chunk('abc'), `0\r\n${trailer}\r\n\r\n`])
      expect(answers[0]?.status).toBeOneOf([200, 400])
      if (answers[0]?.status === 200) expect((await world.ask('GET', '/object/authenticated/priv/up-32')).body.toString()).toBe('abc')
    },
  })),
  ...each([0.1, 0.5, 0.99], (share) => ({
    id: 'UP-33',
    what: `the client is gone after ${share * 100} % of the body`,
    play: async (world) => {
      const bodies = [upload('priv/up-33', [], Buffer.alloc(400_000, 'x')), formUpload('priv/up-33', [file(Buffer.alloc(400_000, 'x'))])]
      for (const body of bodies) {
        const bytes = body(world)
        await world.send(bytes, { cutAfter: Math.floor(bytes.length * share) })
        await new Promise((resolve) => setTimeout(resolve, 50))
        expect(await isThere(world, 'priv/up-33')).toBe(false)
      }
    },
  })),
  {
    id: 'UP-33',
    what: 'the client is gone after the last byte: either way, and then for good',
    play: async (world) => {
      for (const size of [1, 400_000]) {
        const bytes = upload('priv/up-33-b', [['x-upsert', 'true']], Buffer.alloc(size, 'y'))(world)
        await world.send(bytes, { cutAfter: bytes.length })
        await new Promise((resolve) => setTimeout(resolve, 300))
        const first = await world.ask('GET', '/object/authenticated/priv/up-33-b')
        if (first.status === 200) expect(first.body.length).toBeOneOf([1, size])
        const second = await world.ask('GET', '/object/authenticated/priv/up-33-b')
        expect([second.status, second.body.length]).toEqual([first.status, first.body.length])
      }
    },
  },
  {
    id: 'UP-33',
    what: 'the client closes its half after half of the body',
    play: async (world) => {
      const bytes = upload('priv/up-33-c', [], Buffer.alloc(100_000, 'x'))(world)
      const heard = await world.send(bytes.subarray(0, 50_000), { halfClose: true })
      expect(heard.answers[0]?.status ?? 400).toBe(400)
      expect(await isThere(world, 'priv/up-33-c')).toBe(false)
    },
  },
  {
    id: 'UP-33',
    what: 'a hundred clients gone at random bytes',
    play: async (world) => {
      let seed = 33
      const cuts = Array.from({ length: 100 }, (_, i) => {
        seed = (seed * 48_271) % 2_147_483_647
        const bytes = (
          i % 2 === 0
            ? upload(`priv/up-33-${i}`, [], Buffer.alloc(30_000, 'x'))
            : formUpload(`priv/up-33-${i}`, [file(Buffer.alloc(30_000, 'x'))])
        )(world)
        return { bytes, cutAfter: seed % (bytes.length - 1) }
      })
      await Promise.all(cuts.map(({ bytes, cutAfter }) => world.send(bytes, { cutAfter })))
      await new Promise((resolve) => setTimeout(resolve, 200))
      const { rows } = await world.db.query(`select name from storage.objects where name ~ '^up-33-[0-9]'`)
      expect(rows).toEqual([])
    },
  },
  {
    id: 'UP-35',
    what: 'fifty at once create one object',
    play: async (world) => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => world.ask('POST', '/object/priv/up-35', { body: `writer ${i}` })),
      )
      const winners = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []))
      expect(winners).toHaveLength(1)
      for (const answer of answers) if (answer.status !== 200) expectFolded(answer, 409)
      expect((await world.ask('GET', '/object/authenticated/priv/up-35')).body.toString()).toBe(`writer ${winners[0]}`)
    },
  },
  {
    id: 'UP-36',
    what: 'fifty at once replace one object',
    play: async (world) => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => world.ask('PUT', '/object/priv/up-36', { body: `writer ${i}` })),
      )
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
      expect((await world.ask('GET', '/object/authenticated/priv/up-36')).body.toString()).toMatch(/^writer \d+$/)
    },
  },
  {
    id: 'UP-37',
    what: 'overwritten while fifty read: each has one version, whole',
    play: async (world) => {
      const version = (letter: string) => Buffer.alloc(1_500_000, letter)
      await world.ask('PUT', '/object/priv/up-37', { body: version('a') })
      const readers = Array.from({ length: 50 }, (_, i) =>
        new Promise((resolve) => setTimeout(resolve, i * 5)).then(() => world.ask('GET', '/object/authenticated/priv/up-37')),
      )
      for (const letter of 'bcdef') await world.ask('PUT', '/object/priv/up-37', { body: version(letter) })
      for (const answer of await Promise.all(readers)) {
        expect(answer.status).toBe(200)
        expect(answer.body.equals(version(String.fromCharCode(answer.body[0] ?? 0)))).toBe(true)
      }
      world.takeHeard()
      await world.ask('DELETE', '/object/priv/up-37')
    },
  },
  {
    id: 'UP-39',
    what: 'the token ends while its upload runs',
    note: 'who may write is decided before the first byte; what was begun with a good token is finished',
    play: async (world) => {
      const token = world.sign({ role: 'authenticated', sub: USER_A, exp: Math.floor(Date.now() / 1000) + 2 })
      const whole = request(
        'POST',
        '/object/priv/up-39',
        [
          ['Authorization', `Bearer ${token}`],
          ['x-upsert', 'true'],
        ],
        Buffer.alloc(100_000, 'x'),
      )
      const { answers } = await world.send([whole.subarray(0, 50_000), whole.subarray(50_000)], { pause: 2_300 })
      expect(answers[0]?.status).toBeOneOf([200, 400])
      expect(await isThere(world, 'priv/up-39')).toBe(answers[0]?.status === 200)
    },
  },
  {
    id: 'UP-40',
    what: 'owner, version and times in form, headers and metadata',
    play: async (world) => {
      const lies = ['owner', 'owner_id', 'version', 'created_at', 'id', 'bucket_id', 'name', 'size', 'eTag']
      const { answers } = await world.send(
        formUpload(
          'priv/up-40',
          [
            ...lies.map((name) => ({ name, body: 'B' })),
            { name: 'metadata', body: JSON.stringify(Object.fromEntries(lies.map((name) => [name, 'B']))) },
            file(),
          ],
          lies.map((name) => [`x-${name}`, 'B'] as const),
        )(world),
      )
      expect(answers[0]?.status).toBe(200)
      const { rows } = await world.db.query(
        `select owner_id, version, metadata, created_at > now() - interval '1 minute' as fresh from storage.objects where name = 'up-40'`,
      )
      expect(rows[0]).toMatchObject({ owner_id: USER_A, fresh: true, metadata: { size: 1, mimetype: 'text/plain' } })
      expect(rows[0].version).toMatch(/^[0-9a-f-]{36}$/)
    },
  },
  ...each<readonly [string, Outcome]>(
    [
      ['1B2M2Y8AsgTpgAmY7PhCfg==', folded(400)],
      ['nonsense', folded(400)],
      ['', OK],
      ['1B2M2Y8AsgTpgAmY7PhCfg', folded(400)],
    ],
    ([digest, outcome]) => ({
      id: 'UP-44',
      what: `Content-MD5: ${digest || 'nothing'}`,
      play: async (world) => {
        const path = `priv/up-44-${digest.length}`
        const heard = await world.send(upload(path, [['Content-MD5', digest]], 'x')(world))
        expect(outcome.fits(heard), heard.answers[0]?.body.toString()).toBe(true)
        expect(await isThere(world, path)).toBe(heard.answers[0]?.status === 200)
      },
    }),
  ),
  ...each(
    [
      'POST /upload/resumable',
      'PATCH /upload/resumable/x',
      'HEAD /upload/resumable/x',
      'DELETE /upload/resumable/x',
      'POST /upload/resumable/sign',
      'POST /storage/v1/upload/resumable',
    ],
    (line) => ({
      id: 'UP-45',
      what: `${line}: resumable uploads are not there`,
      note: 'not built yet: the routes answer as any unknown one',
      send: ({ tokens }) =>
        request(...(line.split(' ') as [string, string]), [
          ['Authorization', `Bearer ${tokens.A}`],
          ['Tus-Resumable', '1.0.0'],
          ['Upload-Length', '-1'],
          ['Upload-Metadata', 'bucketName Li4v,objectName AA=='],
        ]),
      outcome: status(404),
      options: { bodiless: line.startsWith('HEAD') },
    }),
  ),
  ...each(
    [
      'GET /s3',
      'GET /s3/priv',
      'PUT /s3/priv/x',
      'POST /s3/priv/x?uploads',
      'DELETE /s3/priv/x',
      'PUT /storage/v1/s3/priv/x?partNumber=0&uploadId=x',
    ],
    (line) => ({
      id: 'UP-46',
      what: `${line}: the S3 interface is not there`,
      note: 'not built yet: the routes answer as any unknown one',
      send: ({ tokens }) =>
        request(
          ...(line.split(' ') as [string, string]),
          [
            ['Authorization', `Bearer ${tokens.A}`],
            ['Content-Type', 'application/xml'],
          ],
          '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>',
        ),
      outcome: status(404),
    }),
  ),
  ...each(
    ['GET /render/image/authenticated/priv/a.txt?width=1e9', 'GET /render/image/public/pub/x', 'GET /render/image/sign/priv/a.txt?token=x'],
    (line) => ({
      id: 'UP-101',
      what: `${line}: images are not transformed`,
      send: ({ tokens }) => request(...(line.split(' ') as [string, string]), [['Authorization', `Bearer ${tokens.A}`]]),
      outcome: status(404),
    }),
  ),
  ...each<readonly [string, readonly Header[], Outcome]>(
    [
      ['a Content-Type that is none', [['Content-Type', ';;;']], folded(415)],
      ['two types in one', [['Content-Type', 'image/png,text/html']], folded(415)],
      ['an empty Content-Type', [['Content-Type', '']], folded(415)],
      ['a Content-Type of a blank', [['Content-Type', ' ']], folded(415)],
      ['a Content-Type with a star', [['Content-Type', 'image/*']], either(OK, folded(415))],
      ['a Content-Type of 8 KB', [['Content-Type', `image/${'x'.repeat(8_000)}`]], folded(415)],
      ['a Content-Type with obs-text', [['Content-Type', 'image/\u00fc']], folded(415)],
      ['Content-Encoding: gzip', [['Content-Encoding', 'gzip']], OK],
      ['x-upsert: yes', [['x-upsert', 'yes']], OK],
      ['If-None-Match: *', [['If-None-Match', '*']], either(OK, status(412))],
      ['If-Match: nonsense', [['If-Match', 'nonsense']], status(412)],
      ['x-metadata that is no base64', [['x-metadata', '%%%']], OK],
    ],
    ([what, headers, outcome]) => ({ id: 'UP-102', what, send: upload('priv/up-102', headers, 'x', 'PUT'), outcome }),
  ),
]
