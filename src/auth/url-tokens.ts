import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Seconds } from '../std/brand.ts'
import { ServiceError } from '../std/service-error.ts'
import { invalidUrlToken, notAnAddress, wordsOfJose } from './auth-error.ts'
import type { Authenticate } from './authenticate.ts'
import { isCompact } from './is-compact.ts'

/** What a signed address allows; `url` is `<bucket>/<key>`, decoded. */
export type UrlGrant =
  | { readonly scope: 'download'; readonly url: string }
  | { readonly scope: 'upload'; readonly url: string; readonly upsert: boolean; readonly owner: string | null }

export type VerifiedGrant = UrlGrant & { readonly expiresAt: Date }

export type UrlTokens = {
  readonly sign: (grant: UrlGrant, life: Seconds) => Promise<string>
  /** @throws ServiceError InvalidJWT with the library's words; InvalidSignature for a session token in an address's place */
  readonly verify: (token: string) => Promise<VerifiedGrant>
}

const PURPOSE = 'stowage:url'
const HEADER = Buffer.from('{"alg":"HS256"}').toString('base64url')
const MAX_TOKEN_LENGTH = 16_384
/** Some ten thousand addresses. */
const KEPT_BYTES = 8 * 2 ** 20

/**
 * Tokens of signed addresses. They have a key of their own, derived from the secret (HKDF, RFC 5869), and say what they are for:
 * neither can one be used as a session token, nor a session token as an address. Those that were verified are remembered by their whole text until
 * they expire, since an address is made to be asked for many times; refused ones are not. They are signed here (RFC 7515 3.1), since the library's
 * detour over promises costs ten times the signature, five hundred times a request; it is what verifies them.
 */
export function createUrlTokens(options: {
  readonly secret: string
  readonly authenticate: Authenticate
  readonly now: () => Date
}): UrlTokens {
  const { secret, authenticate, now } = options
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32)))
  const verified = new LRUCache<string, VerifiedGrant>({ maxSize: KEPT_BYTES, sizeCalculation: (_, token) => token.length * 2 + 400 })
  return {
    sign: async (grant, life) => {
      const issuedAt = Math.floor(now().getTime() / 1000)
      const payload = payloadOf(grant, issuedAt, issuedAt + life)
      const signed = `${HEADER}.${Buffer.from(payload).toString('base64url')}`
      return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
    },
    verify: async (token) => {
      const grant = verified.get(token)
      if (grant && grant.expiresAt > now()) return grant
      if (token.length > MAX_TOKEN_LENGTH) throw invalidUrlToken('Invalid Compact JWS')
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: now(), requiredClaims: ['exp'] })
        if (!isCompact(token)) throw invalidUrlToken('Invalid Compact JWS')
        const granted = grantOf(payload)
        verified.set(token, granted)
        return granted
      } catch (error) {
        if (error instanceof ServiceError) throw error
        const words = wordsOfJose(error)
        if (words === null) throw error
        throw (await isSession(authenticate, token)) ? notAnAddress() : invalidUrlToken(words, error)
      }
    },
  }
}

/** Each claim by its name: spreading the grant into them costs as much as the signature. */
function payloadOf(grant: UrlGrant, iat: number, exp: number): string {
  const { scope, url } = grant
  return scope === 'download'
    ? JSON.stringify({ scope, url, purpose: PURPOSE, iat, exp })
    : JSON.stringify({ scope, url, upsert: grant.upsert, owner: grant.owner ?? undefined, purpose: PURPOSE, iat, exp })
}

function grantOf(payload: JWTPayload): VerifiedGrant {
  const { purpose, scope, url, upsert, owner, exp } = payload
  if (purpose !== PURPOSE || typeof url !== 'string' || exp === undefined) throw notAnAddress()
  const expiresAt = new Date(exp * 1000)
  if (scope === 'download') return { scope, url, expiresAt }
  if (scope !== 'upload') throw notAnAddress()
  return { scope, url, upsert: upsert === true, owner: typeof owner === 'string' ? owner : null, expiresAt }
}

const isSession = (authenticate: Authenticate, token: string): Promise<boolean> =>
  authenticate(token).then(
    () => true,
    () => false,
  )
