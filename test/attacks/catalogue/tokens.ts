import { createServer } from 'node:net'
import { expect } from 'vitest'
import { type Attack, each, shown } from '../attack.ts'
import { either, folded, graphqlBody, OK, type Outcome, status, storageError } from '../outcome.ts'
import { request } from '../raw.ts'
import { USER_A, type World } from '../world.ts'

/** As the header has it: a token that storage and GraphQL must both refuse, whichever place it comes in. */
function refused(id: string, what: string, authorization: (world: World) => string, rest: Partial<Attack> = {}): readonly Attack[] {
  const storage = (outcome: Outcome) => ({
    id,
    what: `${what}: storage`,
    send: (world: World) => request('GET', '/bucket', [['Authorization', authorization(world)]]),
    outcome,
  })
  const graphql = (what: string, headers: (world: World) => readonly (readonly [string, string])[]) => ({
    id,
    what,
    send: (world: World) =>
      request('POST', '/graphql/v1', [...headers(world), ['Content-Type', 'application/json']], '{"query":"{__typename}"}'),
    outcome: status(401, 403),
  })
  return [
    { ...storage(folded(403, 'AccessDenied')), ...rest },
    {
      ...graphql(`${what}: GraphQL`, (world) => [
        ['apiKey', world.tokens.anon],
        ['Authorization', authorization(world)],
      ]),
      ...rest,
    },
    { ...graphql(`${what}: as apiKey`, (world) => [['apiKey', authorization(world).replace(/^Bearer /i, '')]]), ...rest },
  ] as readonly Attack[]
}

const forged = (id: string, what: string, claims: object, header: object = {}): readonly Attack[] =>
  refused(id, what, ({ sign }) => `Bearer ${sign(claims, header)}`)

const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)
const ADMIN = { role: 'service_role', sub: USER_A, exp: now() + 3_600 }

/** The only call that anonymous callers of the tests are refused and the service is not. */
const asService = (world: World, headers: readonly (readonly [string, string])[], query = '') =>
  world.send(request('POST', `/bucket/priv-none/empty${query}`, headers))

export const TOKENS: readonly Attack[] = [
  ...[
    '',
    'Bearer',
    'Bearer ',
    'Basic Zm9v',
    'Bearer a b',
    `Bearer ${'.'.repeat(8_000)}`,
    'Bearer ..',
    'Bearer a.b',
    'Bearer a.b.c.d',
    'Token x',
    'Bearer null',
    'Bearer undefined',
    'Bearer %00',
    'Bearer \u00ff\u00fe',
  ].flatMap((authorization) => refused('AU-02', `Authorization: ${shown(authorization)}`, () => authorization)),
  {
    id: 'AU-02',
    what: 'two Authorization headers',
    send: ({ tokens }) =>
      request('GET', '/bucket', [
        ['Authorization', 'Bearer x'],
        ['Authorization', `Bearer ${tokens.service}`],
      ]),
    outcome: folded(403),
    note: 'node keeps the first of them',
  },
  ...['none', 'None', 'NONE', 'nOnE', '', 'HS256 ', 'hs256'].flatMap((alg) => [
    ...refused('AU-03', `alg ${shown(alg)} with an empty signature`, () => `Bearer ${encoded({ alg })}.${encoded(ADMIN)}.`),
    ...refused('AU-03', `alg ${shown(alg)} and two parts`, () => `Bearer ${encoded({ alg })}.${encoded(ADMIN)}`),
  ]),
  ...refused('AU-03', 'no alg at all', ({ sign }) => `Bearer ${sign(ADMIN, { alg: undefined })}`),
  ...refused('AU-03', 'alg a list', ({ sign }) => `Bearer ${sign(ADMIN, { alg: ['HS256'] })}`),
  ...refused('AU-03', 'genuine, with its signature cut off', ({ tokens }) => `Bearer ${tokens.service.replace(/\.[^.]*$/, '.')}`),
  ...refused(
    'AU-03',
    'HS256 with another secret',
    ({ sign }) => `Bearer ${sign(ADMIN, {}, 'another-secret-of-more-than-32-bytes-length')}`,
  ),
  ...refused('AU-03', 'HS256 with the empty secret', ({ sign }) => `Bearer ${sign(ADMIN, {}, '')}`),
  ...refused('AU-03', 'HS512 with the secret', ({ tokens }) => {
    const [, payload] = tokens.service.split('.')
    return `Bearer ${encoded({ alg: 'HS512' })}.${payload}.${'A'.repeat(86)}`
  }),
  ...['', ' ', '\n'].flatMap((before) =>
    refused(
      'AU-04',
      `HS256 by the public key's text after ${shown(before)}`,
      ({ sign, rsa }) => `Bearer ${sign(ADMIN, { kid: 'rsa' }, before + rsa.pem)}`,
    ),
  ),
  ...refused(
    'AU-04',
    "HS256 by the public key's JSON",
    ({ sign, rsa }) => `Bearer ${sign(ADMIN, { kid: 'rsa' }, JSON.stringify(rsa.jwk))}`,
  ),
  ...refused('AU-04', "HS256 by the public key's modulus", ({ sign, rsa }) => `Bearer ${sign(ADMIN, { kid: 'rsa' }, String(rsa.jwk.n))}`),
  ...refused('AU-04', 'RS256 by a key that is in no set', ({ otherRsa }) => `Bearer ${otherRsa.sign(ADMIN, { kid: 'rsa' })}`),
  {
    id: 'AU-04',
    what: 'RS256 by the key of the set is taken',
    send: ({ rsa }) => request('GET', '/bucket', [['Authorization', `Bearer ${rsa.sign(ADMIN, { kid: 'rsa' })}`]]),
    outcome: OK,
  },
  {
    id: 'AU-20',
    what: 'a key leaves the set while its token is remembered: refused within five seconds',
    play: async (world) => {
      const { ask, graphql, otherRsa, publishKeys, rsa } = world
      const claims = { role: 'authenticated', sub: USER_A, exp: now() + 3_600 }
      const [leaving, staying] = [otherRsa.sign(claims, { kid: 'leaving' }), rsa.sign(claims, { kid: 'rsa' })]
      const storage = async (token: string) => (await ask('GET', '/object/authenticated/priv/a.txt', { token })).status
      const questions = async (token: string) => (await graphql('{accountCollection{edges{node{id}}}}', { token })).status
      expect([await storage(leaving), await questions(leaving)]).toEqual([400, 401])
      await publishKeys({ rsa, leaving: otherRsa })
      await expect.poll(() => storage(leaving), { timeout: 5_000 }).toBe(200)
      // remembered by both now
      for (let i = 0; i < 3; i++) expect([await storage(leaving), await questions(leaving)]).toEqual([200, 200])
      await publishKeys({ rsa })
      const published = performance.now()
      await expect.poll(() => questions(leaving), { timeout: 20_000 }).toBe(401)
      expect(performance.now() - published, 'milliseconds for which a key outlived its set').toBeLessThan(5_000)
      expect([await storage(leaving), await storage(staying), await questions(staying)]).toEqual([400, 200, 200])
    },
  },
  {
    id: 'AU-06',
    what: "the header brings the attacker's key",
    play: async (world) => {
      let visitors = 0
      const server = createServer((socket) => {
        visitors++
        socket.destroy()
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const address = server.address()
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/keys`
      const { otherRsa } = world
      for (const brought of [
        { jwk: otherRsa.jwk },
        { jku: url },
        { x5u: url },
        { x5c: ['MIIB'] },
        { jku: url, kid: 'rsa' },
        { jwk: otherRsa.jwk, kid: 'rsa' },
      ]) {
        const answer = await world.ask('GET', '/bucket', { token: otherRsa.sign(ADMIN, brought) })
        expect([answer.status, storageError(answer)?.statusCode], shown(brought)).toEqual([400, '403'])
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
      server.close()
      expect(visitors).toBe(0)
    },
  },
  ...['../../../../proc/self/environ', "' OR 1=1--", 1, ['rsa'], null, {}, '\0', '/dev/null', 'rsa\n'].flatMap((kid) =>
    forged('AU-07', `kid ${shown(kid)}`, ADMIN, { kid }),
  ),
  ...refused('AU-07', 'kid of 100 KB', ({ sign }) => `Bearer ${sign(ADMIN, { kid: 'k'.repeat(100_000) })}`).map(
    (attack) => ({ ...attack, outcome: status(431) }) as Attack,
  ),
  ...refused('AU-07', 'kid of 10 KB', ({ sign }) => `Bearer ${sign(ADMIN, { kid: 'k'.repeat(7_000) })}`),
  ...[{ crit: ['x'], x: 1 }, { crit: [] }, { crit: 'x' }, { b64: false, crit: ['b64'] }, { b64: false }, { zip: 'DEF' }].flatMap((header) =>
    forged('AU-09', shown(header), ADMIN, header),
  ),
  ...refused(
    'AU-09',
    'an encrypted token of five parts',
    () => `Bearer ${encoded({ alg: 'dir', enc: 'A256GCM' })}..${encoded('iv')}.${encoded(ADMIN)}.${encoded('tag')}`,
  ),
  ...refused('AU-10', 'ended a second ago', ({ sign }) => `Bearer ${sign({ ...ADMIN, exp: now() - 1 })}`),
  ...refused('AU-10', 'begins in an hour', ({ sign }) => `Bearer ${sign({ ...ADMIN, nbf: now() + 3_600 })}`),
  {
    id: 'AU-10',
    what: 'ends while it is remembered',
    play: async (world) => {
      const token = world.sign({ ...ADMIN, exp: now() + 2 })
      expect((await world.ask('GET', '/bucket', { token })).status).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 2_100))
      const answer = await world.ask('GET', '/bucket', { token })
      expect(storageError(answer)?.statusCode).toBe('403')
    },
  },
  ...['9999999999', 1e30, -1, null, [], {}, true, 0, 1.5e17].flatMap((exp) => forged('AU-11', `exp ${shown(exp)}`, { ...ADMIN, exp })),
  ...['soon', null, [], true].flatMap((nbf) => forged('AU-11', `nbf ${shown(nbf)}`, { ...ADMIN, nbf })),
  ...[
    'postgres',
    'authenticator',
    'stowage_service',
    'stowage_web',
    'pg_read_server_files',
    'pg_execute_server_program',
    'pg_write_all_data',
    'none',
    'SERVICE_ROLE',
    'service_role ',
    '"service_role"',
    'service_role; reset role',
    '',
    '__proto__',
    'constructor',
    'anon\0',
  ].flatMap((role) => forged('AU-13', `role ${shown(role)}`, { ...ADMIN, role })),
  ...[['service_role'], { name: 'service_role' }, 1, true].flatMap((role) => forged('AU-13', `role ${shown(role)}`, { ...ADMIN, role })),
  ...forged('AU-15', 'role nobody', { ...ADMIN, role: 'nobody' }),
  ...each<readonly [string, unknown, Outcome]>(
    [
      ['no UUID', 'a user of another issuer', OK],
      ['empty', '', OK],
      ['SQL', "x'; drop table storage.objects; --", OK],
      ['1,024 bytes', 's'.repeat(1_024), OK],
      ['1,025 bytes', 's'.repeat(1_025), folded(403)],
      ['NUL', 'a\0b', folded(403)],
      ['half of a surrogate pair', '\ud800', folded(403)],
      ['a number', 5, folded(403)],
      ['a list', ['x'], folded(403)],
    ],
    ([what, sub, outcome]) => ({
      id: 'AU-16',
      what: `sub: ${what}`,
      send: ({ sign }) => request('GET', '/bucket', [['Authorization', `Bearer ${sign({ role: 'authenticated', sub, exp: now() + 60 })}`]]),
      outcome,
    }),
  ),
  ...each<readonly [string, object, Outcome]>(
    [
      ['NUL in a claim', { email: 'a\0b' }, either(OK, folded(403), folded(400))],
      ['half of a surrogate pair in a claim', { email: '\udc00' }, either(OK, folded(403), folded(400))],
      ['a claim called __proto__', JSON.parse('{"__proto__":{"role":"service_role"}}'), OK],
      ['a number beyond numeric in a claim', {}, OK],
    ],
    ([what, claims, outcome]) => ({
      id: 'AU-16',
      what,
      send: ({ sign }) =>
        request('GET', '/bucket', [
          ['Authorization', `Bearer ${sign({ role: 'authenticated', sub: USER_A, exp: now() + 60, ...claims })}`],
        ]),
      outcome,
    }),
  ),
  {
    id: 'AU-18',
    what: 'the service key in the query does not lift the header',
    play: async (world) => {
      const heard = await asService(world, [['Authorization', `Bearer ${world.tokens.anon}`]], `?authorization=${world.tokens.service}`)
      expect(heard.answers[0]?.status).toBe(403)
      const twice = await asService(world, [], `?authorization=${world.tokens.service}&authorization=${world.tokens.service}`)
      expect(storageError(twice.answers[0] ?? emptyAnswer)?.statusCode).toBe('403')
      const nested = await asService(world, [], `?authorization[a]=${world.tokens.service}`)
      expect(nested.answers[0]?.status).toBe(400)
    },
  },
  {
    id: 'AU-18',
    what: 'an answer to a token in the query stays out of caches, also on a path that there is not',
    play: async (world) => {
      for (const path of [
        '/object/authenticated/priv/a.txt',
        '/object/authenticated/priv/none',
        '/nothing/here',
        '/object',
        '/storage/v1/nothing',
        '/bucket/x/y/z',
        '/render/image/x',
      ]) {
        const answer = await world.ask('GET', `${path}?authorization=Bearer%20${world.tokens.A}`, { as: null })
        expect(answer.headers.find(([name]) => name === 'cache-control')?.[1], path).toBe('private, no-store')
      }
    },
  },
  {
    id: 'AU-19',
    what: 'payload and signature of two tokens, a thousand times, leave the remembered ones alone',
    play: async (world) => {
      const [head, payloadOfA, signatureOfA] = world.tokens.A.split('.')
      const [, payloadOfService, signatureOfService] = world.tokens.service.split('.')
      const bad = [
        `${head}.${payloadOfService}.${signatureOfA}`,
        `${head}.${payloadOfA}.${signatureOfService}`,
        `${head}.${encoded(ADMIN)}.${signatureOfA}`,
      ]
      for (const token of bad) {
        const one = request('GET', '/bucket', [
          ['Authorization', `Bearer ${token}`],
          ['Connection', 'keep-alive'],
        ])
        const { answers } = await world.send(Buffer.concat(Array.from({ length: 333 }, () => one)), { answers: 333 })
        expect(answers.map((answer) => [answer.status, storageError(answer)?.statusCode])).toEqual(
          Array.from({ length: 333 }, () => [400, '403']),
        )
        expect((await world.ask('GET', '/bucket')).status).toBe(200)
      }
    },
  },
  {
    id: 'AU-22',
    what: 'the service key as apiKey beside an anonymous token',
    play: async (world) => {
      const answer = await world.graphql('{accountCollection{edges{node{id}}}}', {
        as: 'anon',
        headers: [['apiKey', world.tokens.service]],
      })
      expect(graphqlBody(answer).data).toEqual({ accountCollection: { edges: [] } })
      const storage = await asService(world, [
        ['apiKey', world.tokens.service],
        ['Authorization', `Bearer ${world.tokens.anon}`],
      ])
      expect(storage.answers[0]?.status).toBe(403)
    },
  },
  ...each<readonly [string, (world: World) => Buffer]>(
    [
      [
        'query',
        ({ tokens }) =>
          request(
            'POST',
            `/graphql/v1?apiKey=${tokens.anon}&apikey=${tokens.anon}`,
            [['Content-Type', 'application/json']],
            '{"query":"{__typename}"}',
          ),
      ],
      [
        'cookie',
        ({ tokens }) =>
          request(
            'POST',
            '/graphql/v1',
            [
              ['Cookie', `apiKey=${tokens.anon}`],
              ['Content-Type', 'application/json'],
            ],
            '{"query":"{__typename}"}',
          ),
      ],
      [
        'body',
        ({ tokens }) =>
          request(
            'POST',
            '/graphql/v1',
            [['Content-Type', 'application/json']],
            JSON.stringify({ query: '{__typename}', apiKey: tokens.anon }),
          ),
      ],
      [
        'Authorization alone',
        ({ tokens }) =>
          request(
            'POST',
            '/graphql/v1',
            [
              ['Authorization', `Bearer ${tokens.anon}`],
              ['Content-Type', 'application/json'],
            ],
            '{"query":"{__typename}"}',
          ),
      ],
    ],
    ([place, send]) => ({ id: 'AU-23', what: `the key in the ${place}`, send, outcome: status(401) }),
  ),
  {
    id: 'AU-26',
    what: 'a token of somebody whom no table knows is good until it ends',
    send: ({ sign }) =>
      request('GET', '/bucket', [['Authorization', `Bearer ${sign({ role: 'authenticated', sub: 'gone', exp: now() + 60 })}`]]),
    outcome: OK,
    note: 'accounts and logging out are the affair of whoever issues the tokens',
  },
  {
    id: 'AU-101',
    what: 'no token at all, where one is wanted',
    send: request('GET', '/bucket'),
    outcome: folded(400),
    note: 'in the words of the recorded answer',
  },
  {
    id: 'AU-102',
    what: 'a token of the longest header is refused, not a fault',
    send: ({ sign }) => request('GET', '/bucket', [['Authorization', `Bearer ${sign({ ...ADMIN, junk: 'x'.repeat(11_000) })}`]]),
    outcome: OK,
    note: 'it is genuine',
  },
  {
    id: 'AU-103',
    what: 'base64 with padding, line ends or the other alphabet is no token',
    play: async (world) => {
      for (const change of [
        (t: string) => `${t}=`,
        (t: string) => t.replaceAll('-', '+').replaceAll('_', '/').concat('+'),
        (t: string) => t.replace('.', '=.'),
      ]) {
        const answer = await world.ask('GET', '/bucket', { token: change(world.tokens.A) })
        expect(storageError(answer)?.statusCode, change('x.y.z')).toBe('403')
      }
    },
  },
]

const emptyAnswer = { status: 0, headers: [], body: Buffer.alloc(0), cut: false } as const
