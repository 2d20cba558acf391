import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { OPTIONS } from '../../src/config/options.ts'
import { GRAPHQL_LIMITS } from '../../src/graphql/operation/limits.ts'

const { config } = loadConfig({})
const SECOND = 1_000
const MIB = 2 ** 20

describe('without a single setting', () => {
  test('nobody but this machine is answered, and nothing is switched off that protects', () => {
    expect(config).toMatchObject({ host: '127.0.0.1', verifyReads: true, extraRoles: [], jwks: null })
    expect(config.logLevel).not.toBe('debug')
  })

  /** Raising one of these is a decision: it opens the service to more work by strangers. */
  test.each([
    ['jsonLimit', MIB],
    ['uploadLimit', 5 * 2 ** 30],
    ['maxSignedUrlLifetime', 365 * 24 * 3_600 * SECOND],
    ['uploadUrlLifetime', 2 * 3_600 * SECOND],
    ['anonTimeout', 3 * SECOND],
    ['authenticatedTimeout', 8 * SECOND],
    ['serviceTimeout', 60 * SECOND],
    ['poolWait', 3 * SECOND],
    ['headerTimeout', 10 * SECOND],
    ['idleTimeout', 75 * SECOND],
    ['slowBodyGrace', 60 * SECOND],
    ['maxConnections', 10_000],
    ['drainLimit', 30 * SECOND],
  ] as const)('%s is limited, by at most %d', (name, most) => {
    expect(config[name]).toBeGreaterThan(0)
    expect(config[name]).toBeLessThanOrEqual(most)
  })

  test('a body that hardly moves is ended', () => expect(config.minBodyRate).toBeGreaterThanOrEqual(1024))

  test.each([
    ['documentCharacters', 131_072],
    ['tokens', 10_000],
    ['brackets', 50],
    ['aliases', 500],
    ['rootFields', 100],
    ['expandedFields', 10_000],
    ['filterTerms', 1_000],
    ['fragments', 1_000],
    ['directives', 1_000],
    ['responseBytes', 64 * MIB],
  ] as const)('%s of a GraphQL document are limited, by at most %d', (name, most) => {
    expect(GRAPHQL_LIMITS[name].default).toBeGreaterThan(0)
    expect(GRAPHQL_LIMITS[name].default).toBeLessThanOrEqual(most)
  })

  test('bytes that nobody needs are left alone for an hour', () => expect(config.sweepGrace).toBeGreaterThanOrEqual(3_600 * SECOND))
})

test('secrets come from the environment or a file, and from nowhere else', () => {
  const secrets = Object.values(OPTIONS)
    .filter(({ secret }) => secret)
    .map(({ env }) => env)
  expect(secrets).toEqual(expect.arrayContaining(['JWT_SECRET', 'DATABASE_URL']))
  for (const { env, secret } of Object.values(OPTIONS))
    if (/SECRET|PASSWORD|TOKEN|_KEY$/.test(env)) expect([env, secret]).toEqual([env, true])
})
