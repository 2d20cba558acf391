import { type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { type RoleName, roleName } from '../std/brand.ts'
import { ServiceError } from '../std/service-error.ts'
import { invalidToken, unknownRole, wordsOfJose } from './auth-error.ts'
import { isCompact } from './is-compact.ts'
import type { RoleContext } from './role-context.ts'
import type { SessionKeys } from './session-keys.ts'

export type AuthenticateOptions = {
  /** those of this moment: another answer than before means that what the ones before verified has to be verified again */
  readonly keys: () => SessionKeys
  /** roles a token may name beside the three of the API */
  readonly extraRoles: readonly string[]
  readonly now: () => Date
}

export type Authenticate = {
  /** @throws ServiceError InvalidToken, UnknownRole */
  (token: string): Promise<RoleContext>
  /** what a token came to that was verified before and has not ended; null says nothing */
  readonly remembered: (token: string) => RoleContext | null
}

export const ANON: RoleName = roleName('anon')
export const AUTHENTICATED: RoleName = roleName('authenticated')
export const SERVICE_ROLE: RoleName = roleName('service_role')

/** Nobody in particular: a request without a token where one is not needed. */
export const ANONYMOUS: RoleContext = { role: ANON, subject: null, claims: '{"role":"anon"}', token: '' }

/** Our own work, beyond row security. */
export const AS_SERVICE: RoleContext = { role: SERVICE_ROLE, subject: null, claims: '{"role":"service_role"}', token: '' }

const MAX_SUBJECT_BYTES = 1024
const MAX_TOKEN_LENGTH = 16_384
/** The last second that a JavaScript date can name. */
const LAST_SECOND = 8_640_000_000_000

type Known = { readonly context: RoleContext; readonly expiresAt: number; readonly verifiedWith: SessionKeys }

/**
 * Turns a session token into who asks. Verified tokens are remembered by their whole text until they expire or the keys change,
 * so that a request pays for a look-up; refused ones are not remembered.
 *
 * A token without `role` is anon, without `exp` does not end; `aud` and `iss` are the issuer's affair (as in Supabase).
 */
export function createAuthenticate({ keys, extraRoles, now }: AuthenticateOptions): Authenticate {
  const roles = new Map([ANON, AUTHENTICATED, SERVICE_ROLE, ...extraRoles.map(roleName)].map((role) => [role as string, role]))
  const verified = new LRUCache<string, Known>({
    max: 20_000,
    maxSize: 32 * 2 ** 20,
    sizeCalculation: (_, token) => token.length * 3 + 200,
  })

  const remembered = (token: string): RoleContext | null => {
    const known = verified.get(token)
    if (!known) return null
    if (known.expiresAt > now().getTime() && known.verifiedWith === keys()) return known.context
    verified.delete(token)
    return null
  }
  const authenticate = async (token: string): Promise<RoleContext> => {
    const known = remembered(token)
    if (known) return known
    if (token.length > MAX_TOKEN_LENGTH) throw invalidToken('Invalid Compact JWS')
    const verifiedWith = keys()
    const payload = await verify(token, verifiedWith, now())
    const context: RoleContext = { role: roleOf(payload, roles), subject: subjectOf(payload), claims: payloadText(token), token }
    const expiresAt = payload.exp === undefined ? Number.POSITIVE_INFINITY : payload.exp * 1000
    verified.set(token, { context, expiresAt, verifiedWith })
    return context
  }
  return Object.assign(authenticate, { remembered })
}

async function verify(token: string, keys: SessionKeys, now: Date): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys.keyFor, { algorithms: [...keys.algorithms], currentDate: now })
    if (!isCompact(token)) throw invalidToken('Invalid Compact JWS')
    if (payload.exp !== undefined && payload.exp > LAST_SECOND) throw invalidToken('"exp" claim must be a number')
    return payload
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const words = wordsOfJose(error)
    throw words === null ? error : invalidToken(words, error)
  }
}

function roleOf(payload: JWTPayload, roles: ReadonlyMap<string, RoleName>): RoleName {
  const claimed = payload.role ?? ANON
  const role = typeof claimed === 'string' ? roles.get(claimed) : undefined
  if (role === undefined) throw unknownRole()
  return role
}

/** Any text that PostgreSQL can hold: subjects of other issuers are no UUIDs. */
function subjectOf(payload: JWTPayload): string | null {
  const subject: unknown = payload.sub ?? null
  if (subject === null) return null
  if (typeof subject !== 'string') throw invalidToken('"sub" claim must be a string')
  if (Buffer.byteLength(subject) > MAX_SUBJECT_BYTES) throw invalidToken('"sub" claim is too long')
  if (subject.includes('\0') || /\p{Surrogate}/u.test(subject)) throw invalidToken('"sub" claim must be a string')
  return subject
}

/** As it was signed: through a JavaScript object and back, long numbers would change. */
const payloadText = (token: string): string => Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')
