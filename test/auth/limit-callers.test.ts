import { expect, test } from 'vitest'
import type { Authenticate } from '../../src/auth/authenticate.ts'
import { limitCallers } from '../../src/auth/limit-callers.ts'
import { roleName } from '../../src/std/brand.ts'

/** The token says it all: role, then subject. */
const trusting: Authenticate = Object.assign(
  async (token: string) => {
    const [role = '', subject = null] = token.split(' ')
    return { role: roleName(role), subject, claims: '{}', token }
  },
  { remembered: () => null },
)

const outcomes = async (authenticate: Authenticate, token: string, times: number) => {
  let taken = 0
  for (let i = 0; i < times; i++) {
    try {
      await authenticate(token)
      taken++
    } catch (error) {
      expect(error).toMatchObject({ code: 'TooManyRequests', status: 429, message: expect.stringContaining('STOWAGE_CALLER_RATE') })
    }
  }
  return taken
}

test('a user is limited, whatever tokens he has; others, nobody and the service are not', async () => {
  let now = 0
  const authenticate = limitCallers(trusting, 10, () => now)
  expect(await outcomes(authenticate, 'authenticated ann', 40)).toBe(40)
  expect(await outcomes(authenticate, 'editor ann', 40)).toBe(10)
  expect(await outcomes(authenticate, 'authenticated bob', 50)).toBe(50)
  expect(await outcomes(authenticate, 'anon', 100)).toBe(100)
  expect(await outcomes(authenticate, 'service_role ann', 100)).toBe(100)
  now = 1_000
  expect(await outcomes(authenticate, 'authenticated ann', 20)).toBe(10)
})

test('without a limit nothing stands in between', () => {
  expect(limitCallers(trusting, 0, () => 0)).toBe(trusting)
})
