import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { makeApiKeys } from '../../src/auth/api-keys.ts'
import { createAuthenticate } from '../../src/auth/authenticate.ts'
import { sessionKeys } from '../../src/auth/session-keys.ts'
import { createUrlTokens } from '../../src/auth/url-tokens.ts'
import { seconds } from '../../src/std/brand.ts'

const SECRET = 'a-secret-of-the-tests-with-more-than-32-bytes'
let now = new Date('2026-01-01T00:00:00Z')
const keys = sessionKeys(SECRET, null)
const authenticate = createAuthenticate({ keys: () => keys, extraRoles: [], now: () => now })
const tokens = createUrlTokens({ secret: SECRET, authenticate, now: () => now })
const download = { scope: 'download', url: 'b/a b.txt' } as const

describe('the token of a signed address', () => {
  it.each([
    [download],
    [{ scope: 'upload', url: 'b/k', upsert: true, owner: 'u1' } as const],
    [{ scope: 'upload', url: 'b/k', upsert: false, owner: null } as const],
  ])('comes back as it was made: %j', async (grant) => {
    expect(await tokens.verify(await tokens.sign(grant, seconds(60)))).toEqual({ ...grant, expiresAt: new Date('2026-01-01T00:01:00Z') })
  })

  it('ends to the second', async () => {
    const token = await tokens.sign(download, seconds(60))
    now = new Date('2026-01-01T00:01:00Z')
    await expect(tokens.verify(token)).rejects.toMatchObject({
      code: 'InvalidJWT',
      status: 400,
      message: '"exp" claim timestamp check failed',
    })
    now = new Date('2026-01-01T00:00:00Z')
  })

  it('that was accepted once still ends, and one that was changed is not it', async () => {
    const token = await tokens.sign(download, seconds(60))
    const first = await tokens.verify(token)
    expect(await tokens.verify(token)).toBe(first)
    const [head, payload, signature = ''] = token.split('.')
    const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    await expect(tokens.verify(`${head}.${payload}.${other}`)).rejects.toMatchObject({ message: 'signature verification failed' })
    now = new Date('2026-01-01T00:01:00Z')
    await expect(tokens.verify(token)).rejects.toMatchObject({ message: '"exp" claim timestamp check failed' })
    now = new Date('2026-01-01T00:00:00Z')
  })

  it('is no session token', async () => {
    await expect(authenticate(await tokens.sign(download, seconds(60)))).rejects.toMatchObject({ message: 'signature verification failed' })
  })

  it.each([
    ['', 'Invalid Compact JWS'],
    ['x', 'Invalid Compact JWS'],
    ['a.b.c', 'JWS Protected Header is invalid'],
    ['.'.repeat(20_000), 'Invalid Compact JWS'],
  ])('%.20j is none', async (token, message) => {
    await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'InvalidJWT', status: 400, message })
  })

  it('of another secret is refused', async () => {
    const other = createUrlTokens({ secret: `${SECRET}x`, authenticate, now: () => now })
    await expect(tokens.verify(await other.sign(download, seconds(60)))).rejects.toMatchObject({
      code: 'InvalidJWT',
      message: 'signature verification failed',
    })
  })

  it('is not a session token, even one with an address in it', async () => {
    const { serviceKey } = await makeApiKeys(SECRET, now)
    await expect(tokens.verify(serviceKey)).rejects.toMatchObject({ code: 'InvalidSignature' })
    const session = await new SignJWT({ ...download, purpose: 'stowage:url' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(now.getTime() / 1000 + 60)
      .sign(new TextEncoder().encode(SECRET))
    await expect(tokens.verify(session)).rejects.toMatchObject({ code: 'InvalidSignature' })
  })
})

describe('the API keys', () => {
  it('name their roles for ten years, and are the same each time', async () => {
    const keys = await makeApiKeys(SECRET, now)
    expect(await makeApiKeys(SECRET, now)).toEqual(keys)
    expect((await authenticate(keys.anonKey)).role).toBe('anon')
    expect((await authenticate(keys.serviceKey)).role).toBe('service_role')
  })
})
