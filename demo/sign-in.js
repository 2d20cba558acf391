import { createHmac } from 'node:crypto'

/** @typedef {{ id: string, email: string }} Person */

/**
 * A token as an authentication server would hand it to a signed-in person: HS256, good for an hour (RFC 7519).
 * @param {Person} person
 * @param {string} jwtSecret
 */
export function signIn(person, jwtSecret) {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  const claims = { role: 'authenticated', sub: person.id, email: person.email, exp: expiresAt }
  const part = (/** @type {unknown} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', jwtSecret).update(signed).digest('base64url')}`
}
