import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createAuthenticate } from '../../src/auth/authenticate.ts'
import { BadKeySet, sessionKeys } from '../../src/auth/session-keys.ts'
import { ServiceError } from '../../src/std/service-error.ts'

const SECRET = 'a-secret-of-the-tests-with-more-than-32-bytes'
const NOW = new Date('2026-01-01T00:00:00Z')
const SECONDS = NOW.getTime() / 1000

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const OCT = 'an-oct-key-of-the-tests-with-more-than-32-bytes'
const jwks = JSON.stringify({
  keys: [
    { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'rsa-1', alg: 'RS256' },
    { ...ec.publicKey.export({ format: 'jwk' }), kid: 'https://issuer.example/ec' },
    { ...ed.publicKey.export({ format: 'jwk' }), kid: 'ed-1' },
    { kty: 'oct', k: Buffer.from(OCT).toString('base64url'), kid: 'oct-1', alg: 'HS256' },
  ],
})

const [secretAlone, secretAndSet] = [sessionKeys(SECRET, null), sessionKeys(SECRET, jwks)]
const plain = createAuthenticate({ keys: () => secretAlone, extraRoles: ['editor'], now: () => NOW })
const withSet = createAuthenticate({ keys: () => secretAndSet, extraRoles: [], now: () => NOW })

const encode = (part: unknown): string => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** Signs anything, also what no library would. */
function token(claims: unknown, header: object = {}, key: string | Parameters<typeof sign>[2] = SECRET): string {
  const head = { alg: 'HS256', typ: 'JWT', ...header }
  const signed = `${encode(head)}.${encode(claims)}`
  if (typeof key === 'string') {
    const bits = /^HS(256|384|512)$/.exec(String(head.alg))?.[1] ?? '256'
    return `${signed}.${createHmac(`sha${bits}`, key).update(signed).digest('base64url')}`
  }
  const hash = head.alg === 'EdDSA' ? null : `sha${head.alg.slice(2)}`
  return `${signed}.${sign(hash, Buffer.from(signed), key).toString('base64url')}`
}

const refusal = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(ServiceError)
  return (error as ServiceError).message
}

const valid = { role: 'authenticated', sub: 'u1', exp: SECONDS + 60 }

describe('a session token', () => {
  it('becomes who asks, with its claims as they were signed', async () => {
    const text = '{"role":"authenticated","sub":"auth0|7","org":9007199254740993,"exp":4102444800}'
    expect(await plain(token(text))).toMatchObject({ role: 'authenticated', subject: 'auth0|7', claims: text })
  })

  it.each([
    ['no role', { sub: 'x' }, { role: 'anon', subject: 'x' }],
    ['a role that is null', { role: null }, { role: 'anon', subject: null }],
    ['a configured role', { role: 'editor' }, { role: 'editor' }],
    ['no end', { role: 'service_role' }, { role: 'service_role' }],
    ['a key name that no key has', { role: 'anon' }, { role: 'anon' }, { kid: 'legacy' }],
  ])('may have %s', async (_, claims, expected, header: object = {}) => {
    expect(await plain(token(claims, header))).toMatchObject(expected)
  })

  it.each([
    ['nothing', '', 'Invalid Compact JWS'],
    ['no token', 'not-a-jwt', 'Invalid Compact JWS'],
    ['two parts', 'a.b', 'Invalid Compact JWS'],
    ['five parts', 'a.b.c.d.e', 'Invalid Compact JWS'],
    ['dots', '.'.repeat(8192), 'Invalid Compact JWS'],
    ['parts that are no JSON', 'a.b.c', 'JWS Protected Header is invalid'],
    ['20 KB', token({ ...valid, x: 'x'.repeat(20_000) }), 'Invalid Compact JWS'],
    ['a payload that is no object', token('[]'), 'JWT Claims Set must be a top-level JSON object'],
    ['a payload that is no JSON', token('{'), 'JWT Claims Set must be a top-level JSON object'],
    ['another secret', token(valid, {}, 'another-secret-of-at-least-32-characters'), 'signature verification failed'],
    ['an empty signature', token(valid).replace(/[^.]*$/, ''), 'signature verification failed'],
    ['no signature', token(valid).replace(/\.[^.]*$/, ''), 'Invalid Compact JWS'],
    ['one letter more', `${token(valid)}x`, 'signature verification failed'],
    ...['none', 'None', 'NONE', 'nOnE', 'HS512', 'RS256', 'ES256', 'A128KW', '__proto__', 'constructor'].map(
      (alg): [string, string, string] => [`alg ${alg}`, token(valid, { alg }), '"alg" (Algorithm) Header Parameter value not allowed'],
    ),
    ['alg a number', token(valid, { alg: 256 }), 'JWS "alg" (Algorithm) Header Parameter missing or invalid'],
    ['crit', token(valid, { crit: ['x'], x: 1 }), 'Extension Header Parameter "x" is not recognized'],
    ['b64', token(valid, { b64: false }), 'JWS Protected Header is invalid'],
    ['zip', token(valid, { zip: 'DEF' }), 'JWS Protected Header is invalid'],
    ...['../../../../proc/self/environ', "' OR 1=1--", 'x'.repeat(10_000), 7, ['a'], null, {}].map((kid): [string, string, string] => [
      `kid ${String(JSON.stringify(kid)).slice(0, 40)}`,
      token(valid, { kid }),
      'JWS Protected Header is invalid',
    ]),
    [
      'its own key',
      token(valid, { alg: 'ES256', jwk: ec.publicKey.export({ format: 'jwk' }) }, ec.privateKey),
      '"alg" (Algorithm) Header Parameter value not allowed',
    ],
    ['an end a second ago', token({ ...valid, exp: SECONDS - 1 }), '"exp" claim timestamp check failed'],
    ['an end now', token({ ...valid, exp: SECONDS }), '"exp" claim timestamp check failed'],
    ['a negative end', token({ ...valid, exp: -1 }), '"exp" claim timestamp check failed'],
    ['a beginning in an hour', token({ ...valid, nbf: SECONDS + 3600 }), '"nbf" claim timestamp check failed'],
    ...['"9999999999"', '1e30', '1e999', 'null', '[]', '{}', 'true'].map((exp): [string, string, string] => [
      `exp ${exp}`,
      token(`{"role":"anon","exp":${exp}}`),
      '"exp" claim must be a number',
    ]),
    ...['postgres', 'authenticator', 'stowage_service', 'pg_read_server_files', 'nobody', '', 7, ['anon'], {}, 'toString', '__proto__'].map(
      (role): [string, string, string] => [
        `role ${JSON.stringify(role)}`,
        token({ ...valid, role }),
        'The role of the token is not allowed',
      ],
    ),
    ['a subject of 1,025 bytes', token({ ...valid, sub: 'é'.repeat(513) }), '"sub" claim is too long'],
    ['a subject with NUL', token({ ...valid, sub: 'a\0b' }), '"sub" claim must be a string'],
    ['a subject with half a letter', token('{"role":"anon","sub":"\\ud800"}'), '"sub" claim must be a string'],
    ['a subject that is a number', token({ ...valid, sub: 7 }), '"sub" claim must be a string'],
  ])('is refused with %s', async (_, given, words) => {
    expect(await refusal(plain(given))).toBe(words)
  })

  it('is remembered as a whole: parts of two good ones are no good one, however often they are tried', async () => {
    const [one, two] = [token(valid), token({ ...valid, sub: 'u2' })]
    await Promise.all([plain(one), plain(two)])
    const [head, , signature] = one.split('.')
    const mixed = `${head}.${two.split('.')[1]}.${signature}`
    for (let i = 0; i < 200; i += 1) expect(await refusal(plain(mixed))).toBe('signature verification failed')
    expect((await plain(one)).subject).toBe('u1')
  })

  it('is forgotten when it ends', async () => {
    let now = NOW
    const authenticate = createAuthenticate({ keys: () => secretAlone, extraRoles: [], now: () => now })
    const given = token(valid)
    expect(await authenticate(given)).toBe(await authenticate(given))
    now = new Date(NOW.getTime() + 60_000)
    expect(await refusal(authenticate(given))).toBe('"exp" claim timestamp check failed')
  })
})

describe('a token of a key set', () => {
  it('is forgotten when its key leaves the set, also when it is being verified at that moment', async () => {
    let current = secretAndSet
    const authenticate = createAuthenticate({ keys: () => current, extraRoles: [], now: () => NOW })
    const [known, underWay] = ['one', 'two'].map((sub) => token({ ...valid, sub }, { alg: 'RS256', kid: 'rsa-1' }, rsa.privateKey))
    if (!known || !underWay) throw new Error('there are two')
    await authenticate(known)
    expect(authenticate.remembered(known)?.subject).toBe('one')
    const verifying = authenticate(underWay)
    current = secretAlone
    expect((await verifying).subject).toBe('two')
    for (const gone of [known, underWay]) {
      expect(authenticate.remembered(gone)).toBeNull()
      expect(await refusal(authenticate(gone))).toBe('"alg" (Algorithm) Header Parameter value not allowed')
    }
    current = secretAndSet
    expect((await authenticate(known)).subject).toBe('one')
  })

  it.each([
    ['RS256', token(valid, { alg: 'RS256', kid: 'rsa-1' }, rsa.privateKey)],
    ['ES256', token(valid, { alg: 'ES256', kid: 'https://issuer.example/ec' }, { key: ec.privateKey, dsaEncoding: 'ieee-p1363' })],
    ['EdDSA', token(valid, { alg: 'EdDSA', kid: 'ed-1' }, ed.privateKey)],
    ['HS256 by name', token(valid, { kid: 'oct-1' }, OCT)],
    ['HS256 of the secret', token(valid)],
    ['HS256 of the secret, with the name of another kind of key', token(valid, { kid: 'rsa-1' })],
  ])('is taken: %s', async (_, given) => {
    expect(await withSet(given)).toMatchObject({ role: 'authenticated', subject: 'u1' })
  })

  const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString()
  it.each([
    [
      'an algorithm the key is not for',
      token(valid, { alg: 'RS512', kid: 'rsa-1' }, rsa.privateKey),
      'JWT algorithm "RS512" does not match JWK algorithm "RS256"',
    ],
    [
      'a longer HMAC than the key is for',
      token(valid, { alg: 'HS512', kid: 'oct-1' }, OCT),
      'JWT algorithm "HS512" does not match JWK algorithm "HS256"',
    ],
    ['no key name', token(valid, { alg: 'RS256' }, rsa.privateKey), 'no applicable key found in the JSON Web Key Set'],
    [
      'another key name',
      token(valid, { alg: 'RS256', kid: 'ed-1' }, rsa.privateKey),
      'JWT algorithm "RS256" does not match JWK algorithm "EdDSA"',
    ],
    ['the public key as a secret', token(valid, { kid: 'rsa-1' }, pem), 'signature verification failed'],
    ['the public key as a secret, with a blank', token(valid, { kid: 'rsa-1' }, ` ${pem}`), 'signature verification failed'],
    [
      'its own address for keys',
      token(valid, { alg: 'RS256', kid: 'new', jku: 'http://127.0.0.1:1/keys', x5u: 'http://127.0.0.1:1/x' }, rsa.privateKey),
      'no applicable key found in the JSON Web Key Set',
    ],
  ])('is refused with %s', async (_, given, words) => {
    expect(await refusal(withSet(given))).toBe(words)
  })

  it.each([
    ['a number in place of a key', { keys: [7] }, 'key 1 is no object'],
    ['an unknown curve', { keys: [{ kty: 'EC', crv: 'P-1' }] }, 'key 1 is of a kind that is not supported: EC P-1'],
    ['a short secret', { keys: [{ kty: 'oct', k: 'YWJj', kid: 'a' }] }, 'key 1 (a) is shorter than 32 bytes'],
    ['an algorithm of another kind', { keys: [{ ...ed.publicKey.export({ format: 'jwk' }), alg: 'HS256' }] }, 'key 1 cannot verify HS256'],
  ])('%s in the set is said at once', (_, set, words) => {
    expect(() => sessionKeys(SECRET, JSON.stringify(set))).toThrow(new BadKeySet(words))
  })
})
