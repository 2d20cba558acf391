import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAuthenticate } from '../../src/auth/authenticate.ts'
import { sessionKeys } from '../../src/auth/session-keys.ts'
import { createUrlTokens, type UrlGrant } from '../../src/auth/url-tokens.ts'
import { seconds } from '../../src/std/brand.ts'
import { keyOfAddress } from '../../src/storage/url-claims.ts'

const SECRET = 'a-secret-of-the-tests-with-more-than-32-bytes'
const NOW = new Date('2026-01-01T00:00:00Z')
const EXP = NOW.getTime() / 1000 + 3600
const keys = sessionKeys(SECRET, null)
const authenticate = createAuthenticate({ keys: () => keys, extraRoles: ['editor'], now: () => NOW })
const urls = createUrlTokens({ secret: SECRET, authenticate, now: () => NOW })
const ROLES = ['anon', 'authenticated', 'service_role', 'editor']

function signed(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${content}.${createHmac('sha256', SECRET).update(content).digest('base64url')}`
}

describe('the role of a token', () => {
  const strangers: readonly unknown[] = [
    'postgres',
    'stowage_web',
    'stowage_service',
    'Service_Role',
    'SERVICE_ROLE',
    ' service_role',
    'service_role ',
    'service_role\0',
    '"service_role"',
    `service_role'; reset role; --`,
    'none',
    'public',
    'pg_read_server_files',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'ｓervice_role',
    'service_rolé',
    '',
    0,
    1,
    true,
    [],
    ['service_role'],
    {},
    { toString: 'service_role' },
    null,
  ]
  it.each(strangers.map((role) => [role]))('%j is looked up, and is none', async (role) => {
    const token = signed({ role, exp: EXP })
    if (role === null) expect((await authenticate(token)).role).toBe('anon')
    else await expect(authenticate(token)).rejects.toMatchObject({ code: 'UnknownRole', status: 403 })
  })

  it('is one of the list, or refused, whatever is signed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...ROLES), fc.jsonValue()), async (role) => {
        const outcome = await authenticate(signed({ role, exp: EXP })).then(
          ({ role: taken }) => taken as string,
          () => null,
        )
        expect(outcome).toBe(typeof role === 'string' && ROLES.includes(role) ? role : role === null ? 'anon' : null)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a token that was changed', () => {
  const flippedAnywhere = async (token: string, taken: (text: string) => Promise<unknown>) => {
    await expect(taken(token)).resolves.toBeDefined()
    for (let at = 0; at < token.length; at++) {
      const letter = token[at] === 'A' ? 'B' : 'A'
      const changed = token.slice(0, at) + letter + token.slice(at + 1)
      await expect(taken(changed), `letter ${at} of ${token.length}`).rejects.toMatchObject({ name: 'ServiceError' })
      await expect(taken(token.slice(0, at)), `cut at ${at}`).rejects.toMatchObject({ name: 'ServiceError' })
    }
  }

  it('in any one letter is no session', () => flippedAnywhere(signed({ role: 'authenticated', sub: 'a', exp: EXP }), authenticate))

  it('in any one letter is no address', async () =>
    flippedAnywhere(await urls.sign({ scope: 'download', url: 'b/k' }, seconds(60)), urls.verify))
})

describe('a signed address', () => {
  const grant: fc.Arbitrary<UrlGrant> = fc
    .record({ bucket: fc.string(), key: fc.string({ unit: 'binary' }), upload: fc.boolean(), upsert: fc.boolean() })
    .map(({ bucket, key, upload, upsert }) =>
      upload ? { scope: 'upload', url: `${bucket}/${key}`, upsert, owner: null } : { scope: 'download', url: `${bucket}/${key}` },
    )

  it('is for what was signed, and never a session', async () => {
    await fc.assert(
      fc.asyncProperty(grant, async (granted) => {
        const token = await urls.sign(granted, seconds(60))
        const { expiresAt: _, ...verified } = await urls.verify(token)
        // signed as JSON, in UTF-8
        expect(verified).toEqual({ ...granted, url: Buffer.from(granted.url).toString() })
        await expect(authenticate(token)).rejects.toMatchObject({ status: 401 })
      }),
    )
  })

  it('opens no other object: neither another bucket, nor another key', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,3}$/), fc.string(), fc.string(), fc.string(), (bucket, key, otherBucket, otherKey) => {
        fc.pre(!otherBucket.includes('/') && (otherBucket !== bucket || otherKey !== key))
        const opened = keyOfAddress({ scope: 'download', url: `${bucket}/${key}` }, { bucket: otherBucket, key: otherKey })
        // escaped once more, which no key is
        if (opened !== null) expect([otherBucket, decodeURIComponent(otherKey)]).toEqual([bucket, opened])
      }),
    )
  })

  it.each([
    ['no end', { url: 'b/k', scope: 'download', purpose: 'stowage:url', exp: undefined }],
    ['no purpose', { url: 'b/k', scope: 'download' }],
    ['the purpose of another', { url: 'b/k', scope: 'download', purpose: 'stowage:session' }],
    ['everything right, but the key of sessions', { url: 'b/k', scope: 'download', purpose: 'stowage:url' }],
  ])('that was made with the secret of sessions is none: %s', async (_, claims) => {
    await expect(urls.verify(signed({ exp: EXP, ...claims }))).rejects.toMatchObject({ name: 'ServiceError' })
  })
})
