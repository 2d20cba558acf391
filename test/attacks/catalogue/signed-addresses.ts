import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { type Attack, each, shown } from '../attack.ts'
import { folded, type Outcome, status, storageError } from '../outcome.ts'
import { type Answer, headersOf, jsonOf, request } from '../raw.ts'
import { type Ask, USER_A, type World } from '../world.ts'

const now = () => Math.floor(Date.now() / 1000)

/** The token of an address to read `path` from. */
async function readingToken(world: World, path = 'priv/a.txt', body: object = { expiresIn: 60 }, ask: Ask = {}): Promise<string> {
  const answer = await world.ask('POST', `/object/sign/${path}`, { body, ...ask })
  return tokenIn((jsonOf(answer) as { signedURL?: string }).signedURL)
}

/** The token of an address to upload `path` to. */
async function writingToken(world: World, path: string, ask: Ask = {}): Promise<string> {
  return tokenIn((jsonOf(await world.ask('POST', `/object/upload/sign/${path}`, ask)) as { url?: string }).url)
}

const tokenIn = (url = ''): string => url.split('token=')[1] ?? ''

const read = (world: World, path: string, token: string, more = ''): Promise<Answer> =>
  world.ask('GET', `/object/sign/${path}?token=${token}${more}`, { as: null })
const write = (world: World, path: string, token: string, body = 'written'): Promise<Answer> =>
  world.ask('PUT', `/object/upload/sign/${path}?token=${token}`, { as: null, body, headers: [['Content-Type', 'text/plain']] })

const isFolded = (answer: Answer, status: number, code?: string): void => {
  const error = storageError(answer)
  expect([answer.status, error?.statusCode], answer.body.toString()).toEqual([400, String(status)])
  if (code) expect(error?.code).toBe(code)
}

export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** A JWT by this secret, whatever is in it. */
function jwt(claims: object, secret: string): string {
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const content = `${encoded({ alg: 'HS256' })}.${encoded(claims)}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

export const SIGNED_ADDRESSES: readonly Attack[] = [
  {
    id: 'SG-01',
    what: 'an address to read from is none to write to',
    play: async (world) => {
      const token = await readingToken(world)
      isFolded(await write(world, 'priv/a.txt', token), 400, 'InvalidSignature')
      isFolded(await world.ask('PUT', `/object/priv/a.txt?token=${token}`, { as: null, body: 'x' }), 400)
      expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).body.toString()).toBe('the text of A')
    },
  },
  {
    id: 'SG-02',
    what: 'an address to write to is none to read from',
    play: async (world) => {
      const token = await writingToken(world, 'priv/sg-02.txt')
      isFolded(await read(world, 'priv/sg-02.txt', token), 400, 'InvalidSignature')
      isFolded(await read(world, 'priv/a.txt', await writingToken(world, 'priv/a.txt', { headers: [['x-upsert', 'true']] })), 400)
      expect((await world.ask('GET', `/render/image/sign/priv/sg-02.txt?token=${token}`, { as: null })).status).toBe(404)
    },
  },
  {
    id: 'SG-03',
    what: 'the address of one object is none of another, nor of its neighbours in spelling',
    play: async (world) => {
      const token = await readingToken(world)
      for (const path of [
        'priv/k1000',
        'pub/a.txt',
        'priv/a.txt/',
        'priv//a.txt',
        'priv/x/../a.txt',
        'priv/A.txt',
        'priv/a.txt%00',
        'priv%2Fa.txt',
        'pri/v/a.txt',
        'priv/a.tx',
        'priv/a.txt.',
      ])
        expect((await read(world, path, token)).status, path).toBeOneOf([400, 404])
      expect((await read(world, 'priv/a.txt', token)).status).toBe(200)
      // one more escaping names the same object
      expect((await read(world, 'priv/%61.txt', token)).status).toBe(200)
      const other = await writingToken(world, 'priv/sg-03.txt')
      for (const path of ['priv/sg-03.txt2', 'pub/sg-03.txt', 'priv/SG-03.txt']) isFolded(await write(world, path, other), 400)
    },
  },
  {
    id: 'SG-05',
    what: 'ended a second ago; a read that began before goes on',
    play: async (world) => {
      await world.ask('POST', '/object/priv/sg-05', { headers: [['x-upsert', 'true']], body: Buffer.alloc(4_000_000, 'x') })
      const token = await readingToken(world, 'priv/sg-05', { expiresIn: 1 })
      const reading = world.send(request('GET', `/object/sign/priv/sg-05?token=${token}`))
      await new Promise((resolve) => setTimeout(resolve, 2_100))
      isFolded(await read(world, 'priv/sg-05', token), 400, 'InvalidJWT')
      const { answers } = await reading
      expect([answers[0]?.status, answers[0]?.body.length]).toEqual([200, 4_000_000])
      await world.ask('DELETE', '/object/priv/sg-05')
    },
  },
  ...each<readonly [string, (world: World) => object]>(
    [
      ['the claims of an address and no end', () => ({ url: 'priv/a.txt', scope: 'download', purpose: 'stowage:url' })],
      ['an end that is text', () => ({ url: 'priv/a.txt', scope: 'download', purpose: 'stowage:url', exp: '9999999999' })],
      ['an end that is no number', () => ({ url: 'priv/a.txt', scope: 'download', purpose: 'stowage:url', exp: null })],
      ['the claims of an address', () => ({ url: 'priv/a.txt', scope: 'download', purpose: 'stowage:url', exp: now() + 60 })],
      ['the claims of an address and a role', () => ({ url: 'priv/a.txt', scope: 'download', role: 'service_role', exp: now() + 60 })],
    ],
    ([what, claims]) => ({
      id: 'SG-06',
      what: `${what}, signed as a session`,
      send: (world) => request('GET', `/object/sign/priv/a.txt?token=${world.sign(claims(world))}`),
      outcome: folded(400),
    }),
  ),
  ...each<readonly [string, unknown]>(
    [
      ['a hundred years', 3_155_760_000],
      ['a year and a second', 31_536_001],
      ['nothing', 0],
      ['less than nothing', -1],
      ['a part of a second', 0.5],
      ['more than numbers can say', 1e400],
      ['words', 'soon'],
      ['a list', [60, 60]],
      ['an object', {}],
      ['null', null],
      ['the largest integer and one', 9_007_199_254_740_993],
    ],
    ([what, expiresIn]) => ({
      id: 'SG-08',
      what: `a life of ${what}`,
      send: ({ tokens }) =>
        request(
          'POST',
          '/object/sign/priv/a.txt',
          [
            ['Authorization', `Bearer ${tokens.A}`],
            ['Content-Type', 'application/json'],
          ],
          JSON.stringify({ expiresIn }),
        ),
      outcome: folded(400),
    }),
  ),
  {
    id: 'SG-08',
    what: 'a life of 1e400 as it stands in the body',
    send: ({ tokens }) =>
      request(
        'POST',
        '/object/sign/priv/a.txt',
        [
          ['Authorization', `Bearer ${tokens.A}`],
          ['Content-Type', 'application/json'],
        ],
        '{"expiresIn":1e400}',
      ),
    outcome: folded(400),
  },
  {
    id: 'SG-09',
    what: 'neither kind of address is a session, anywhere',
    play: async (world) => {
      for (const token of [await readingToken(world), await writingToken(world, 'priv/sg-09.txt')]) {
        const routes = [
          ['GET', '/bucket'],
          ['GET', '/bucket/priv'],
          ['GET', '/object/authenticated/priv/a.txt'],
          ['POST', '/object/sign/priv/a.txt'],
          ['POST', '/object/list/priv'],
          ['POST', '/object/priv/sg-09.txt'],
          ['PUT', '/object/priv/a.txt'],
          ['DELETE', '/object/priv/a.txt'],
          ['GET', '/object/info/authenticated/priv/a.txt'],
        ] as const
        for (const [method, path] of routes) {
          const body = method === 'GET' || method === 'DELETE' ? '' : { expiresIn: 60, prefix: '' }
          isFolded(await world.ask(method, path, { token, body }), 403)
        }
        expect((await world.graphql('{__typename}', { token })).status).toBe(401)
        expect((await world.graphql('{__typename}', { as: null, headers: [['apiKey', token]] })).status).toBe(401)
      }
    },
  },
  {
    id: 'SG-11',
    what: 'claims in the body of a signing request stay out of the token',
    play: async (world) => {
      const token = await readingToken(world, 'priv/a.txt', {
        expiresIn: 60,
        url: 'priv/b.txt',
        scope: 'upload',
        upsert: true,
        role: 'service_role',
        owner: 'x',
        purpose: 'x',
        exp: 9_999_999_999,
        iat: 1,
        transform: { width: 1, url: 'x' },
      })
      const { iat, exp, ...claims } = claimsOf(token)
      expect(claims).toEqual({ scope: 'download', url: 'priv/a.txt', purpose: 'stowage:url' })
      expect(Number(exp) - Number(iat)).toBe(60)
      const upload = await writingToken(world, 'priv/sg-11.txt', { body: { upsert: true, owner: 'x', scope: 'download' } })
      expect(claimsOf(upload)).toMatchObject({ scope: 'upload', url: 'priv/sg-11.txt', upsert: false, owner: USER_A })
    },
  },
  {
    id: 'SG-12',
    what: 'an address by the secret of another environment, or by the session secret',
    play: async (world) => {
      const claims = { scope: 'download', url: 'priv/a.txt', purpose: 'stowage:url', iat: now(), exp: now() + 60 }
      for (const secret of ['the-secret-of-another-environment-32', world.service.keys.jwtSecret, ''])
        isFolded(await read(world, 'priv/a.txt', jwt(claims, secret)), 400)
      isFolded(await read(world, 'priv/a.txt', world.tokens.service), 400)
      isFolded(await write(world, 'priv/a.txt', world.tokens.service), 400)
    },
  },
  {
    id: 'SG-14',
    what: 'an address to write to without upsert: twice, and twenty times at once',
    play: async (world) => {
      const token = await writingToken(world, 'priv/sg-14.txt')
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => write(world, 'priv/sg-14.txt', token, `writer ${i}`)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const answer of answers) if (answer.status !== 200) isFolded(answer, 409)
      isFolded(await write(world, 'priv/sg-14.txt', token), 409)
      const winner = answers.findIndex(({ status }) => status === 200)
      expect((await world.ask('GET', '/object/authenticated/priv/sg-14.txt')).body.toString()).toBe(`writer ${winner}`)
    },
  },
  {
    id: 'SG-15',
    what: 'the object is replaced, then deleted; the bucket closes',
    play: async (world) => {
      await world.ask('POST', '/object/pub/sg-15', { body: 'old' })
      const token = await readingToken(world, 'pub/sg-15')
      await world.ask('PUT', '/object/pub/sg-15', { body: 'new' })
      expect((await read(world, 'pub/sg-15', token)).body.toString()).toBe('new')
      await world.ask('PUT', '/bucket/pub', { as: 'service', body: { public: false } })
      expect((await read(world, 'pub/sg-15', token)).status).toBe(200)
      await world.ask('PUT', '/bucket/pub', { as: 'service', body: { public: true } })
      await world.ask('DELETE', '/object/pub/sg-15')
      isFolded(await read(world, 'pub/sg-15', token), 404)
    },
  },
  {
    id: 'SG-17',
    what: 'tokens of addresses are in no log',
    play: async (world) => {
      const token = await readingToken(world)
      const upload = await writingToken(world, 'priv/sg-17.txt')
      for (const parameter of ['token', 'to%6ben', 'TOKEN']) {
        const { answers } = await world.send(
          Buffer.concat(
            Array.from({ length: 33 }, () =>
              request('GET', `/object/sign/priv/a.txt?${parameter}=${token}`, [['Connection', 'keep-alive']]),
            ),
          ),
          { answers: 33 },
        )
        expect(answers).toHaveLength(33)
      }
      await write(world, 'priv/sg-17.txt', `${upload}x`)
      await world.ask('GET', `/object/sign/priv/none.txt?token=${token}`, { as: null })
      await world.ask('GET', `/nothing/at/all?token=${token}`, { as: null })
      const log = world.service.said()
      for (const secret of [token, upload]) expect(log).not.toContain(secret.split('.')[2])
    },
  },
  ...each<readonly [string, (token: string) => string]>(
    [
      ['cut in the middle', (token) => token.slice(0, token.length / 2)],
      ['without its last part', (token) => token.replace(/[^.]+$/, '')],
      ['with a trailing =', (token) => `${token}=`],
      ['with blanks', (token) => `%20${token}%20x`],
      ['escaped twice', (token) => token.replaceAll('.', '%252e')],
      ['of 10 KB', () => 'x'.repeat(10_000)],
      ['empty', () => ''],
      ['given twice', (token) => `${token}&token=${token}`],
      ['as an object', (token) => `x&token[a]=${token}`],
      ['NUL', () => '%00'],
      ['dots', () => '..'],
    ],
    ([what, change]) => ({
      id: 'SG-19',
      what: `a token ${what}`,
      play: async (world) => {
        const token = await readingToken(world)
        for (const method of ['GET', 'PUT'] as const) {
          const path = method === 'GET' ? '/object/sign/priv/a.txt' : '/object/upload/sign/priv/a.txt'
          const answer = await world.ask(method, `${path}?token=${change(token)}`, { as: null, ...(method === 'PUT' ? { body: 'x' } : {}) })
          if (what === 'as an object' && method === 'GET' && answer.status === 400) continue
          isFolded(answer, 400)
        }
      },
    }),
  ),
  ...each<readonly [string, string, Outcome?]>(
    [
      ['a line end', 'a%0d%0aSet-Cookie:x=1'],
      ['a path', '../../x'],
      ['NUL', '%00'],
      ['5 KB', 'n'.repeat(5_000)],
      ['an emoji', '%F0%9F%98%80'],
      ['quotes', 'a%22%3b%20filename%3dx'],
      ['a right-to-left override', 'a%E2%80%AEtxt.exe'],
      ['half of a surrogate pair', '%ED%A0%80', status(200, 400)],
      ['Latin-1', 'a%FC', status(200, 400)],
    ],
    ([what, name, outcome]) => ({
      id: 'SG-20',
      what: `?download= with ${what}`,
      play: async (world) => {
        const answer = await read(world, 'priv/a.txt', await readingToken(world), `&download=${name}`)
        if (outcome) {
          expect(outcome.fits({ answers: [answer], received: answer.body, ended: 'closed', ms: 0 }), shown(answer.status)).toBe(true)
          if (answer.status !== 200) return
        }
        expect(answer.status).toBe(200)
        const [disposition, ...more] = headersOf(answer, 'content-disposition')
        expect(more).toEqual([])
        expect(disposition).toMatch(/^attachment; filename=[^\s;"]+; filename\*=UTF-8''[^\s;"]+$/)
        expect(headersOf(answer, 'set-cookie')).toEqual([])
      },
    }),
  ),
]
