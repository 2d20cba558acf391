import { createHmac, createPrivateKey, type JsonWebKey, sign } from 'node:crypto'
import type { MintedToken } from './case-file.ts'

export const USER_A = 'a0000000-0000-4000-8000-00000000000a'
export const USER_B = 'b0000000-0000-4000-8000-00000000000b'

const TIMES = new Set(['exp', 'iat', 'nbf'])

/** A token as a case asks for it; times may be given as `+60`: a minute from now. */
export function mint(secret: string, token: MintedToken, jwk?: object): string {
  const { claims, alg = 'HS256', kid } = token
  const now = Math.floor(Date.now() / 1000)
  const at = (value: unknown) => (typeof value === 'string' && /^[+-]\d+$/.test(value) ? now + Number(value) : value)
  const timed = Object.entries(claims).map(([name, value]) => [name, TIMES.has(name) ? at(value) : value])
  const text = `${encode({ alg, typ: 'JWT', kid })}.${encode({ iat: now - 60, exp: now + 3600, ...Object.fromEntries(timed) })}`
  return `${text}.${signature(text, alg, token.secret ?? secret, jwk)}`
}

function signature(text: string, alg: string, secret: string, jwk: object | undefined): string {
  if (alg === 'none') return ''
  if (!jwk) return createHmac(alg.replace('HS', 'sha'), secret).update(text).digest('base64url')
  const key = { key: createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
  return sign(alg === 'EdDSA' ? null : alg.replace(/^[A-Z]+/, 'sha'), Buffer.from(text), key).toString('base64url')
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Who speaks in the cases, by the names they have there. */
export function credentials(secret: string): ReadonlyMap<string, string> {
  const of = (claims: object, how: Partial<MintedToken> = {}) => mint(secret, { claims: { ...claims }, ...how })
  const service = { role: 'service_role' }
  return new Map([
    ['anon', of({ role: 'anon' })],
    ['user-a', of({ role: 'authenticated', sub: USER_A, email: 'a@example.com' })],
    ['user-b', of({ role: 'authenticated', sub: USER_B, email: 'b@example.com' })],
    ['user-text', of({ role: 'authenticated', sub: 'auth0|text' })],
    ['service', of(service)],
    ['no-role', of({ sub: USER_A })],
    ['ghost-role', of({ role: 'ghost' })],
    ['expired', of({ ...service, exp: '-60' })],
    ['not-yet', of({ ...service, nbf: '+3600' })],
    ['wrong-secret', of(service, { secret: 'another-secret-of-at-least-32-characters' })],
    ['alg-none', of(service, { alg: 'none' })],
    ['alg-hs512', of(service, { alg: 'HS512' })],
    ['bad-token', 'not-a-jwt'],
  ])
}
