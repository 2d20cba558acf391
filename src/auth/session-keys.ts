import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { JWSHeaderParameters } from 'jose'
import { invalidToken } from './auth-error.ts'

/** The keys that session tokens may be signed with, each bound to its algorithms: a token never chooses how it is verified. */
export type SessionKeys = {
  /** what any of the keys could verify; {@link SessionKeys.keyFor} then holds each to its own */
  readonly algorithms: readonly string[]
  /** @throws ServiceError when no key fits */
  readonly keyFor: (header: JWSHeaderParameters) => KeyObject
}

/** A key set that cannot be used, in words for the operator. */
export class BadKeySet extends Error {
  override readonly name = 'BadKeySet'
}

type VerificationKey = {
  readonly kid: string | null
  readonly kind: string
  readonly algorithms: readonly string[]
  readonly key: KeyObject
}

/** RFC 7518 3.1, RFC 8037 3.1: what a key of this type and curve can verify. */
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  'EC P-256': ['ES256'],
  'EC P-384': ['ES384'],
  'EC P-521': ['ES512'],
  'OKP Ed25519': ['EdDSA', 'Ed25519'],
  oct: ['HS256', 'HS384', 'HS512'],
}

/** Some issuers put this before the name of the same key, and some do not. */
const NAME_PREFIX = /^storage-url-signing-key_/

/** Names of keys are only compared, never looked up anywhere. One that no key has is let pass if it is plainly a name. */
const KEY_NAME = /^[\w.:=+-]{1,256}$/

const NOT_ALLOWED = '"alg" (Algorithm) Header Parameter value not allowed'
const NO_KEY = 'no applicable key found in the JSON Web Key Set'

/**
 * @param secret of HS256 tokens without a key name, or with one that is in no set
 * @param jwks key set as JSON (RFC 7517), or null
 * @throws BadKeySet
 */
export function sessionKeys(secret: string, jwks: string | null): SessionKeys {
  const keys = jwks === null ? [] : readKeySet(jwks)
  const shared = createSecretKey(secret, 'utf8')
  return {
    algorithms: [...new Set(['HS256', ...keys.flatMap((key) => ALGORITHMS[key.kind] ?? [])])],
    keyFor: (header) => {
      const kid = keyName(header, keys)
      const alg = header.alg ?? ''
      if ('zip' in header || 'b64' in header) throw invalidToken('JWS Protected Header is invalid')
      if (alg.startsWith('HS')) {
        const named = kid === null ? undefined : keys.find((key) => key.kind === 'oct' && (key.kid === null || key.kid === kid))
        if (named) return checked(named, alg)
        if (alg !== 'HS256') throw invalidToken(NOT_ALLOWED)
        return shared
      }
      const named = keys.find((key) => key.kind !== 'oct' && key.kid === kid)
      if (!named) throw invalidToken(NO_KEY)
      return checked(named, alg)
    },
  }
}

function checked(key: VerificationKey, alg: string): KeyObject {
  if (key.algorithms.includes(alg)) return key.key
  throw invalidToken(`JWT algorithm "${alg}" does not match JWK algorithm "${key.algorithms[0] ?? ''}"`)
}

function keyName(header: JWSHeaderParameters, keys: readonly VerificationKey[]): string | null {
  const given: unknown = header.kid
  if (given === undefined) return null
  if (typeof given === 'string') {
    const kid = given.replace(NAME_PREFIX, '')
    if (KEY_NAME.test(kid) || keys.some((key) => key.kid === kid)) return kid
  }
  throw invalidToken('JWS Protected Header is invalid')
}

function readKeySet(jwks: string): readonly VerificationKey[] {
  return keysIn(jwks).flatMap((jwk, i) => {
    if (typeof jwk !== 'object' || jwk === null) throw new BadKeySet(`key ${i + 1} is no object`)
    // RFC 7517 4.2: a key for encryption verifies nothing
    return 'use' in jwk && jwk.use !== 'sig' ? [] : [readKey(jwk as JsonWebKey, i)]
  })
}

function keysIn(jwks: string): readonly unknown[] {
  let set: unknown
  try {
    set = JSON.parse(jwks)
  } catch {
    // the parser's own words quote the text, and a key may be a secret
    throw new BadKeySet('it is not JSON')
  }
  if (typeof set === 'object' && set !== null && 'keys' in set && Array.isArray(set.keys)) return set.keys
  throw new BadKeySet('it has no list of keys')
}

function readKey(jwk: JsonWebKey, i: number): VerificationKey {
  const kid = typeof jwk.kid === 'string' ? jwk.kid.replace(NAME_PREFIX, '') : null
  const called = `key ${i + 1}${kid === null ? '' : ` (${kid})`}`
  const kind = jwk.crv ? `${jwk.kty} ${jwk.crv}` : (jwk.kty ?? 'none')
  const fitting = ALGORITHMS[kind]
  if (!fitting) throw new BadKeySet(`${called} is of a kind that is not supported: ${kind}`)
  if (jwk.alg !== undefined && !fitting.includes(String(jwk.alg))) throw new BadKeySet(`${called} cannot verify ${String(jwk.alg)}`)
  const algorithms = jwk.alg === undefined ? fitting : [String(jwk.alg)]
  try {
    if (jwk.kty !== 'oct') return { kid, kind, algorithms, key: createPublicKey({ key: jwk, format: 'jwk' }) }
    const bytes = Buffer.from(String(jwk.k), 'base64url')
    if (bytes.length >= 32) return { kid, kind, algorithms, key: createSecretKey(bytes) }
  } catch (error) {
    throw new BadKeySet(`${called} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new BadKeySet(`${called} is shorter than 32 bytes`)
}
