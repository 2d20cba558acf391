import { expect } from 'vitest'
import { type Attack, each, shown } from '../attack.ts'
import { form, formType } from '../form.ts'
import { either, folded, type Outcome, status, storageError } from '../outcome.ts'
import { type Answer, headerOf, jsonOf, type Payload, request } from '../raw.ts'
import type { Who, World } from '../world.ts'

type Header = readonly [name: string, value: string]

/** Taken or refused, in a form that its client understands, and never a fault of the service. */
const CLEAN: Outcome = {
  says: 'one answer below 500',
  fits: ({ answers: [first, ...others] }) => first !== undefined && others.length === 0 && first.status < 500,
}

/** As {@link CLEAN}; or the connection is closed, since its bytes make no sense. */
const CLEAN_OR_CLOSED: Outcome = {
  says: 'at most one answer below 500',
  fits: ({ answers }) => answers.length <= 1 && answers.every((answer) => answer.status < 500),
}

const upload =
  (path: string, headers: readonly Header[], body: Payload = 'x', method = 'POST') =>
  (world: World) =>
    request(method, `/object/${path}`, [['Authorization', `Bearer ${world.tokens.A}`], ['x-upsert', 'true'], ...headers], body)

const asJson =
  (method: string, target: string, body: Payload, who: Who = 'A') =>
  (world: World) =>
    request(
      method,
      target,
      [
        ['Authorization', `Bearer ${world.tokens[who]}`],
        ['Content-Type', 'application/json'],
      ],
      body,
    )

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const escaped = (text: string): string => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const plain = ['Content-Type', 'text/plain'] as const

/** A body of parts, written by hand. */
const hand = (text: string, boundary = 'b') => ({
  headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`] as const],
  body: text,
})

const PART = 'Content-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: text/plain\r\n'

/** A part of an object is what its Content-Range says, and no answer is longer than it announces. */
const SOUND_RANGE: Outcome = {
  says: '200, 206 or 416 whose length, Content-Range and body agree',
  fits: ({ answers: [answer, ...others] }) => {
    if (!answer || others.length > 0 || ![200, 206, 304, 416].includes(answer.status)) return false
    if (answer.status === 206) {
      const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headerOf(answer, 'content-range') ?? '') ?? []
      const length = Number(last) - Number(first) + 1
      return (
        size === '1000' && length > 0 && Number(last) < 1000 && answer.body.length === length && answer.body.every((byte) => byte === 107)
      )
    }
    return answer.status !== 200 || answer.body.length === 1000
  },
}

async function mayRead(world: World, headers: readonly Header[], query: string): Promise<'all' | 'A' | 'nothing'> {
  const answer = async (key: string) =>
    (await world.ask('GET', `/object/authenticated/priv/${key}${query}`, { as: null, headers })).status === 200
  if (!(await answer('a.txt'))) return 'nothing'
  return (await answer('au-111-of-b')) ? 'all' : 'A'
}

export const STORAGE_VARIANTS: readonly Attack[] = [
  {
    id: 'AU-111',
    what: 'every pair of credentials in header, apikey and query: the header decides, else the query, and apikey never',
    play: async (world) => {
      const made = await world.ask('PUT', '/object/priv/au-111-of-b', { as: 'B', headers: [plain], body: 'of B' })
      expect(made.status).toBe(200)
      const { tokens } = world
      const kinds = { none: null, anon: tokens.anon, A: tokens.A, service: tokens.service, forged: `${tokens.service.slice(0, -3)}AAA` }
      const sees = { none: 'nothing', anon: 'nothing', A: 'A', service: 'all', forged: 'nothing' } as const
      for (const header of Object.keys(kinds) as (keyof typeof kinds)[]) {
        for (const apikey of ['none', 'service', 'A'] as const) {
          for (const query of ['none', 'service', 'A', 'forged'] as const) {
            const decides = header === 'none' ? query : header
            const headers: Header[] = []
            if (kinds[header]) headers.push(['Authorization', `Bearer ${kinds[header]}`])
            if (kinds[apikey]) headers.push(['apikey', kinds[apikey]])
            const asked = kinds[query] ? `?authorization=Bearer%20${kinds[query]}` : ''
            expect(await mayRead(world, headers, asked), `header ${header}, apikey ${apikey}, query ${query}`).toBe(sees[decides])
          }
        }
      }
    },
  },
  ...each(['authorization', 'Authorization, apikey', 'close, authorization', 'x-upsert'], (value) => ({
    id: 'AU-112',
    what: `Connection: ${value} takes no credential away, and gives none`,
    send: (world: World) =>
      request('GET', '/object/authenticated/priv/a.txt', [
        ['Authorization', `Bearer ${world.tokens.B}`],
        ['Connection', value],
        ['Connection', 'close'],
      ]),
    outcome: folded(404, 'NoSuchKey'),
  })),
  {
    id: 'KY-111',
    what: 'one word in its Unicode forms: refused, or kept apart byte for byte',
    play: async (world) => {
      const forms = [
        'caf\u00e9',
        'cafe\u0301',
        '\uff43afe',
        '\u212aelvin',
        'Kelvin',
        '\ufb01le',
        'file',
        'a\u200bb',
        'ab',
        '\u202egpj.exe',
        'stra\u00dfe',
        'strasse',
        '\u0130',
        'i\u0307',
      ]
      const taken = new Map<string, string>()
      for (const [i, name] of forms.entries()) {
        const put = await world.ask('PUT', `/object/priv/ky111/${escaped(name)}`, { headers: [plain], body: `form ${i}` })
        expect([200, 400]).toContain(put.status)
        if (put.status === 200) taken.set(name, `form ${i}`)
      }
      for (const [name, body] of taken) {
        const got = await world.ask('GET', `/object/authenticated/priv/ky111/${escaped(name)}`)
        expect([name, got.body.toString()]).toEqual([name, body])
      }
      const listed = jsonOf(await world.ask('POST', '/object/list/priv', { body: { prefix: 'ky111', limit: 100 } })) as { name: string }[]
      expect(listed.map(({ name }) => name).sort()).toEqual([...taken.keys()].sort())
    },
  },
  ...each(
    ['a%252fb', '%252e%252e%252fx', '%25%32%65%25%32%65/x', 'a%2500', '%2525', '..%252f..%252fetc%252fpasswd', '%25c0%25ae'],
    (key) => ({
      id: 'KY-112',
      what: `escaped twice: ${key}`,
      send: upload(`priv/${key}`, [plain], 'x', 'PUT'),
      outcome: folded(400, 'InvalidKey'),
    }),
  ),
  ...each(
    [
      '..;/x',
      'a/..;/b',
      '%2e%2e;/x',
      '.%2e/x',
      '%2e./x',
      'a/%2e',
      '%09',
      'a%0d%0ab',
      '%7f',
      '%c2%85',
      '%e2%80%a8',
      '%ef%bb%bfa',
      'a%20%20',
      '%20',
      '~',
      'CON',
      'nul.txt',
      'a:stream',
      'a*b?c',
      '%3c%3e%7c',
    ],
    (key) => ({ id: 'KY-113', what: `the odd key ${key}`, send: upload(`priv/${key}`, [plain], 'x', 'PUT'), outcome: CLEAN }),
  ),
  ...each(
    [
      '{"name":"bk111","public":false,"__proto__":{"public":true}}',
      '{"name":"bk111","constructor":{"prototype":{"public":true}}}',
      '{"__proto__":null,"name":"bk111"}',
      '{"name":"bk111","toString":1,"hasOwnProperty":2,"valueOf":3}',
      '{"name":"bk111","\\u005f_proto__":{"public":true}}',
    ],
    (body, what) => ({
      id: 'BK-111',
      what: `a bucket made of ${what}`,
      play: async (world) => {
        const made = await world.ask('POST', '/bucket', { as: 'service', headers: [['Content-Type', 'application/json']], body })
        expect([200, 400]).toContain(made.status)
        const other = await world.ask('POST', '/bucket', { as: 'service', body: { name: 'bk111-other' } })
        expect(other.status).toBe(200)
        for (const name of [...(made.status === 200 ? ['bk111'] : []), 'bk111-other']) {
          expect(jsonOf(await world.ask('GET', `/bucket/${name}`, { as: 'service' }))).toMatchObject({ name, public: false })
          expect((await world.ask('DELETE', `/bucket/${name}`, { as: 'service' })).status).toBe(200)
        }
      },
    }),
  ),
  ...each(
    [
      '\ufeff{"name":"bk112"}',
      '{"name":"bk112"} trailing',
      '{"name":"bk112",}',
      "{'name':'bk112'}",
      '{"name":/* */"bk112"}',
      '{"name":NaN}',
      '{"name":["bk112"]}',
      '{"name":{"toString":"bk112"}}',
      '[{"name":"bk112"}]',
      '"bk112"',
      'null',
      '1e400',
      `{"name":"bk112","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `{"name":"bk112","x":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
      Buffer.from('{"name":"bk112"}', 'utf16le'),
      Buffer.from([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    ] as readonly Payload[],
    (body, what) => ({
      id: 'BK-112',
      what: `a bucket out of ${what}`,
      play: async (world) => {
        const answer = (await world.send(asJson('POST', '/bucket', body, 'service')(world))).answers[0]
        expect([200, 400]).toContain(answer?.status)
        if (answer?.status === 200) expect((await world.ask('DELETE', '/bucket/bk112', { as: 'service' })).status).toBe(200)
      },
    }),
  ),
  ...each(
    [
      ['an object with __proto__', base64('{"__proto__":{"polluted":1},"a":1}')],
      ['a constructor', base64('{"constructor":{"prototype":{"polluted":1}}}')],
      ['the same key twice', base64('{"a":1,"a":2}')],
      ['an array', base64('[1]')],
      ['a string', base64('"text"')],
      ['a number', base64('1e400')],
      ['null', base64('null')],
      ['no JSON', base64('{')],
      ['no base64', '***'],
      ['base64 of nothing', ''],
      ['a lone surrogate', base64('{"a":"\\ud800"}')],
      ['a NUL', base64('{"a":"\\u0000"}')],
      ['numbers beyond 64 bits', base64('{"a":123456789012345678901234567890,"b":-0,"c":1e308}')],
      ['four thousand brackets', base64(`{"a":${'['.repeat(4_000)}${']'.repeat(4_000)}}`)],
      ['CR and LF in names and values', base64('{"a\\r\\nX: y":"b\\r\\nSet-Cookie: z=1"}')],
    ] as const,
    ([what, value]) => ({
      id: 'UP-111',
      what: `x-metadata is ${what}`,
      play: async (world) => {
        const put = await world.ask('PUT', '/object/priv/up111', {
          headers: [plain, ['x-upsert', 'true'], ['x-metadata', value]],
          body: 'x',
        })
        expect([200, 400]).toContain(put.status)
        if (put.status !== 200) return
        const info = await world.ask('GET', '/object/info/authenticated/priv/up111')
        expect(info.status).toBe(200)
        const { metadata } = jsonOf(info) as { metadata: Record<string, unknown> | null }
        expect(metadata === null || typeof metadata === 'object').toBe(true)
        const got = await world.ask('GET', '/object/authenticated/priv/up111')
        expect([got.status, headerOf(got, 'set-cookie'), headerOf(got, 'x')]).toEqual([200, undefined, undefined])
      },
    }),
  ),
  ...each(['TRUE', ' true', '1', 'yes', 'true,true', 'true;q=1', 'tru\u00e9', ''], (value) => ({
    id: 'UP-112',
    what: `x-upsert: ${shown(value)} replaces nothing that it does not plainly say`,
    play: async (world) => {
      await world.ask('PUT', '/object/priv/up112', { headers: [plain], body: 'old' })
      const put = await world.ask('POST', '/object/priv/up112', { headers: [plain, ['x-upsert', value]], body: 'new' })
      const got = (await world.ask('GET', '/object/authenticated/priv/up112')).body.toString()
      expect([put.status, got]).toEqual(put.status === 200 ? [200, 'new'] : [400, 'old'])
    },
  })),
  ...each(
    [
      ['a boundary that begins another', hand(`--bx\r\n${PART}\r\nnot this\r\n--bx--\r\n--b\r\n${PART}\r\nthis\r\n--b--\r\n`)],
      ['text before and behind', hand(`preamble\r\n--b\r\n${PART}\r\nx\r\n--b--\r\nepilogue --b\r\n`)],
      ['a second file behind the end', hand(`--b\r\n${PART}\r\nx\r\n--b--\r\n--b\r\n${PART}\r\nhidden\r\n--b--\r\n`)],
      ['line feeds alone', hand(`--b\n${PART.replaceAll('\r', '')}\nx\n--b--\n`)],
      ['the end without its line end', hand(`--b\r\n${PART}\r\nx\r\n--b--`)],
      ['the end of the end', hand(`--b\r\n${PART}\r\nx\r\n--b-`)],
      ['a length of its own that lies', hand(`--b\r\n${PART}Content-Length: 999999\r\n\r\nx\r\n--b--\r\n`)],
      ['a folded header', hand(`--b\r\nContent-Disposition: form-data;\r\n name="file"; filename="f"\r\n\r\nx\r\n--b--\r\n`)],
      ['a header with NUL', hand(`--b\r\n${PART}X: \0\r\n\r\nx\r\n--b--\r\n`)],
      ['two dispositions', hand(`--b\r\n${PART}Content-Disposition: form-data; name="metadata"\r\n\r\nx\r\n--b--\r\n`)],
      ['two names', hand(`--b\r\nContent-Disposition: form-data; name="file"; name="cacheControl"; filename="f"\r\n\r\nx\r\n--b--\r\n`)],
      [
        'a file name that leads away',
        hand(
          `--b\r\nContent-Disposition: form-data; name="file"; filename="../../etc/passwd"; filename*=UTF-8''%2e%2e%2f%0d%0ax\r\n\r\nx\r\n--b--\r\n`,
        ),
      ],
      ['a name in quotes that do not end', hand(`--b\r\nContent-Disposition: form-data; name="file; filename="f"\r\n\r\nx\r\n--b--\r\n`)],
      ['a boundary with blanks behind it', hand(`--b \t\r\n${PART}\r\nx\r\n--b--\r\n`)],
      ['two boundary parameters', hand(`--b\r\n${PART}\r\nx\r\n--b--\r\n`, 'a; boundary=b')],
      ['a boundary in quotes with an escape', hand(`--b"\r\n${PART}\r\nx\r\n--b"--\r\n`, '"b\\""')],
      ['a boundary of dashes', hand(`------\r\n${PART}\r\nx\r\n--------\r\n`, '----')],
      ['a charset of its own', hand(`--b\r\n${PART.replace('text/plain', 'text/plain; charset=utf-7')}\r\n+ADw-script+AD4-\r\n--b--\r\n`)],
      [
        'a field that is named like a method',
        {
          headers: [formType()],
          body: form([
            { name: 'toString', body: 'x' },
            { name: '__proto__', body: '{}' },
            { name: 'file', filename: 'f', type: 'text/plain', body: 'x' },
          ]),
        },
      ],
      [
        'metadata that pollutes',
        {
          headers: [formType()],
          body: form([
            { name: 'metadata', body: '{"__proto__":{"x":1}}' },
            { name: 'file', filename: 'f', type: 'text/plain', body: 'x' },
          ]),
        },
      ],
    ] as const,
    ([what, { headers, body }]) => ({
      id: 'UP-113',
      what: `a form with ${what}`,
      play: async (world) => {
        const { answers } = await world.send(upload('priv/up113', headers, body, 'PUT')(world))
        expect(answers).toHaveLength(1)
        expect([200, 400, 413, 415]).toContain(answers[0]?.status)
        if (answers[0]?.status !== 200) return
        const got = (await world.ask('GET', '/object/authenticated/priv/up113')).body.toString()
        expect(got).not.toMatch(/--b|not this|hidden|preamble|epilogue|Content-/)
        expect((await world.ask('DELETE', '/object/priv/up113')).status).toBe(200)
      },
    }),
  ),
  ...each(
    [
      ['Content-Encoding', 'gzip'],
      ['Content-Encoding', 'gzip, br, zstd'],
      ['Content-Range', 'bytes 5-9/10'],
      ['Content-MD5', 'd41d8cd98f00b204e9800998ecf8427e'],
      ['Content-MD5', '='.repeat(2_000)],
      ['Digest', 'sha-256=AAAA'],
      ['Repr-Digest', 'sha-256=:AAAA:'],
      ['Tus-Resumable', '1.0.0'],
      ['Upload-Length', '99999999999999999999'],
      ['Upload-Offset', '-1'],
      ['Upload-Metadata', 'filename Li4vLi4vZXRj'],
      ['Upload-Defer-Length', '2'],
      ['Upload-Concat', 'final;/../../x'],
      ['Upload-Draft-Interop-Version', '6'],
      ['X-HTTP-Method-Override', 'PATCH'],
      ['If-None-Match', '*, "x"'],
      ['If-Match', `"${'x'.repeat(8_000)}"`],
      ['X-Amz-Copy-Source', '/priv/k1000'],
      ['X-Amz-Acl', 'public-read'],
    ] as const,
    (header) => ({
      id: 'UP-114',
      what: `a plain upload with ${header[0]}: ${shown(header[1])}`,
      play: async (world) => {
        const put = (await world.send(upload('priv/up114', [plain, header], 'these bytes', 'PUT')(world))).answers[0]
        expect([200, 400, 412]).toContain(put?.status)
        if (put?.status !== 200) return
        const got = await world.ask('GET', '/object/authenticated/priv/up114')
        expect([got.body.toString(), headerOf(got, 'content-encoding')]).toEqual(['these bytes', undefined])
      },
    }),
  ),
  ...each(['+5', '0x5', '5 5', '5,5', '5;5', '1e1', '18446744073709551616', '-1', '٥', '05', ' 5', '5.0'], (length) => ({
    id: 'UP-115',
    what: `Content-Length: ${shown(length)}`,
    send: upload('priv/up115', [plain, ['Content-Length', length]], 'x'.repeat(5), 'PUT'),
    outcome: CLEAN_OR_CLOSED,
    options: { patience: 4_000, halfClose: true },
  })),
  ...each(
    [
      'POST /upload/resumable',
      'PATCH /upload/resumable/x',
      'HEAD /upload/resumable/..%2f..%2fx',
      'OPTIONS /upload/resumable',
      'POST /s3',
      'GET /s3/priv?list-type=2',
      'PUT /s3/priv/k?partNumber=0&uploadId=../x',
      'GET /iceberg/v1/config',
      'GET /render/image/authenticated/priv/a.txt?width=99999999',
    ],
    (line) => {
      const [method = '', target = ''] = line.split(' ')
      return {
        id: 'UP-116',
        what: `${line} by somebody else's protocol`,
        play: async (world: World) => {
          const answer = await world.ask(method, target, {
            headers: [
              ['Tus-Resumable', '1.0.0'],
              ['Upload-Length', '5'],
            ],
          })
          expect(answer.status).toBeLessThan(500)
        },
      }
    },
  ),
  ...each(
    [
      `bytes=${Array.from({ length: 1_000 }, (_, i) => `${i}-${i}`).join(',')}`,
      'bytes=0-0,-1',
      'bytes=-1,0-0',
      'BYTES=0-1',
      'bytes=00000000000000000000000000000000001-2',
      'bytes=0-99999999999999999999999999999999999',
      'bytes=9007199254740992-9007199254740993',
      'bytes=-9007199254740993',
      'bytes=٠-١',
      'bytes=0-1\t',
      'bytes = 0-1',
      'bytes=0--1',
      'bytes=--1',
      'bytes=0-1-2',
      'bytes=0-1/1000',
      'bytes=1.5-2',
      'bytes=+0-1',
      'bytes=0-Infinity',
      'bytes=NaN-',
      'bytes=999-999',
      'bytes=999-1000',
    ],
    (range) => ({
      id: 'RG-111',
      what: `Range: ${shown(range)}`,
      send: (world: World) =>
        request('GET', '/object/authenticated/priv/k1000', [
          ['Authorization', `Bearer ${world.tokens.A}`],
          ['Range', range],
        ]),
      outcome: either(SOUND_RANGE, status(400, 431)),
    }),
  ),
  ...each(['W/"x"', '"x', 'x', '*', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', '"a", "b"', '\u00e9'], (value) => ({
    id: 'RG-112',
    what: `If-Range: ${shown(value)} with a range`,
    send: (world: World) =>
      request('GET', '/object/authenticated/priv/k1000', [
        ['Authorization', `Bearer ${world.tokens.A}`],
        ['Range', 'bytes=5-9'],
        ['If-Range', value],
      ]),
    outcome: either(SOUND_RANGE, status(400)),
  })),
  ...each(
    [
      '{"prefix":"","limit":{"valueOf":1}}',
      '{"prefix":"","sortBy":["name","asc"]}',
      '{"prefix":"","sortBy":{"column":"name","order":"asc","__proto__":{"column":"owner"}}}',
      '{"prefix":"","sortBy":{"column":"constructor","order":"asc"}}',
      '{"prefix":"%","search":"_%\\\\"}',
      `{"prefix":"${'a/'.repeat(20_000)}"}`,
      `{"prefix":"${'..\\/'.repeat(100)}"}`,
      '{"prefix":"","search":"(a*)*b"}',
      '{"prefix":"","limit":2,"limit":1000000000}',
      '{"prefix":"","offset":9223372036854775807}',
      '{"prefix":"","offset":1e18}',
      '{"prefix":"\\u0000"}',
      '{"prefix":"\\udc00x"}',
    ],
    (body, what) => ({ id: 'LS-111', what: `a list of ${what}`, send: asJson('POST', '/object/list/priv', body), outcome: CLEAN }),
  ),
  ...each(
    [
      '{"prefixes":{"length":1000000000}}',
      '{"prefixes":[["a"],{"a":1}]}',
      '{"prefixes":["__proto__","constructor","toString"]}',
      `{"prefixes":[${'"same",'.repeat(999)}"same"]}`,
      `{"prefixes":[${'"x",'.repeat(200_000)}"x"]}`,
      `{"prefixes":["${'x'.repeat(900_000)}"]}`,
      '{"prefixes":["\\u0000"]}',
      '{"prefixes":null,"prefixes":["k1000x"]}',
      '{}',
    ],
    (body, what) => ({
      id: 'MV-111',
      what: `a deletion of ${what}`,
      play: async (world) => {
        const { answers } = await world.send(asJson('DELETE', '/object/priv', body)(world))
        expect(answers).toHaveLength(1)
        expect(answers[0]?.status, answers[0]?.body.toString().slice(0, 300)).toBeLessThan(500)
        expect((await world.ask('HEAD', '/object/authenticated/priv/k1000')).status).toBe(200)
      },
    }),
  ),
  ...each(['1e400', '1e-400', '"60"', 'true', '[60]', '{"valueOf":60}', '9007199254740993', '0.5', '-0', '31536001', 'null'], (life) => ({
    id: 'SG-111',
    what: `an address for ${life} seconds`,
    play: async (world) => {
      const { answers } = await world.send(asJson('POST', '/object/sign/priv/a.txt', `{"expiresIn":${life}}`)(world))
      const [answer] = answers as [Answer]
      expect([200, 400]).toContain(answer.status)
      if (answer.status !== 200) return
      const { signedURL } = jsonOf(answer) as { signedURL: string }
      const claims = JSON.parse(Buffer.from(signedURL.split('token=')[1]?.split('.')[1] ?? '', 'base64url').toString()) as {
        iat: number
        exp: number
      }
      expect(Number.isSafeInteger(claims.exp)).toBe(true)
      expect(claims.exp - claims.iat).toBeGreaterThan(0)
      expect(claims.exp - claims.iat).toBeLessThanOrEqual(31_536_000)
    },
  })),
  {
    id: 'SG-112',
    what: 'a genuine token among others, in other places, under other names',
    play: async (world) => {
      const signed = jsonOf(await world.ask('POST', '/object/sign/priv/a.txt', { body: { expiresIn: 60 } })) as { signedURL: string }
      const token = signed.signedURL.split('token=')[1] ?? ''
      const at = '/object/sign/priv/a.txt'
      expect((await world.ask('GET', `${at}?token=${token}`, { as: null })).status).toBe(200)
      for (const query of [
        `?token=x&token=${token}`,
        `?token=${token}&token=x`,
        `?token[]=${token}`,
        `?token[0]=${token}`,
        `?Token=${token}`,
        `?TOKEN=${token}`,
        `?authorization=${token}`,
        `?a=1;token=${token}`,
        `?token=${token}%00`,
        `?token=%20${token}`,
        `?token=${token}#`,
      ]) {
        const answer = await world.ask('GET', `${at}${query}`, { as: null })
        expect([400, 200], query).toContain(answer.status)
        if (answer.status === 200) expect(answer.body.toString(), query).toBe('the text of A')
        else if (storageError(answer)) expect(answer.body.toString()).not.toContain('the text of A')
      }
      for (const headers of [[['x-signature', token]], [['token', token]], [['cookie', `token=${token}`]]] as const) {
        expect((await world.ask('GET', at, { as: null, headers })).status).toBe(400)
      }
    },
  },
]
