import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { OPTIONS } from '../../src/config/options.ts'

const SECRET = 'b1946ac92492d2347c6235b4d2611184f1a2'
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'config-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const problemsOf = (environment: Record<string, string>): string[] => {
  try {
    loadConfig(environment)
  } catch (error) {
    return (error as Error).message.split('\n')
  }
  return []
}

describe('the configuration', () => {
  it('is whole without any setting', () => {
    const { config, warnings, given } = loadConfig({})
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8000, dataFolder: resolve('.stowage'), databaseUrl: null, jwtSecret: null })
    expect(Object.keys(config).sort()).toEqual(Object.keys(OPTIONS).sort())
    expect(warnings).toEqual([])
    expect(given.size).toBe(0)
  })

  it.each([
    ['PORT', '0', { port: 0 }],
    ['PORT', ' 9000 ', { port: 9000 }],
    ['PORT', '', { port: 8000 }],
    ['STOWAGE_UPLOAD_LIMIT', '1024', { uploadLimit: 1024 }],
    ['STOWAGE_UPLOAD_LIMIT', '50MB', { uploadLimit: 50_000_000 }],
    ['STOWAGE_UPLOAD_LIMIT', '1.5 GiB', { uploadLimit: 1_610_612_736 }],
    ['STOWAGE_POOL_WAIT', '2', { poolWait: 2000 }],
    ['STOWAGE_POOL_WAIT', '250ms', { poolWait: 250 }],
    ['STOWAGE_SWEEP_GRACE', '2h', { sweepGrace: 7_200_000 }],
    ['STOWAGE_ANON_TIMEOUT', '0', { anonTimeout: 0 }],
    ['STOWAGE_PREPARED_STATEMENTS', 'off', { preparedStatements: false }],
    ['STOWAGE_GRAPHQL_SCHEMAS', ' public, shop ,', { graphqlSchemas: ['public', 'shop'] }],
    ['STOWAGE_STORAGE_STATUS', 'real', { storageStatus: 'real' }],
    ['STOWAGE_DATA', '/x/y', { dataFolder: '/x/y' }],
    ['STOWAGE_CORS_ORIGINS', 'https://a.example,http://localhost:3000', { corsOrigins: ['https://a.example', 'http://localhost:3000'] }],
    ['STOWAGE_JWKS', '{"keys":[{"kty":"oct"}]}', { jwks: '{"keys":[{"kty":"oct"}]}' }],
  ])('%s=%s', (name, text, expected) => {
    expect(loadConfig({ [name]: text }).config).toMatchObject(expected)
  })

  it.each([
    ['PORT', '65536', 'PORT must be a whole number from 0 to 65535, not "65536"'],
    ['PORT', '-1', 'PORT must be a whole number from 0 to 65535, not "-1"'],
    ['PORT', '80x', 'PORT must be a whole number from 0 to 65535, not "80x"'],
    ['PORT', '8e3', 'PORT must be a whole number from 0 to 65535, not "8e3"'],
    ['STOWAGE_UPLOAD_LIMIT', '0', 'STOWAGE_UPLOAD_LIMIT must be a size between 1 bytes and 8 TiB, like 50MB or 5GiB, not "0"'],
    [
      'STOWAGE_UPLOAD_LIMIT',
      '5 apples',
      'STOWAGE_UPLOAD_LIMIT must be a size between 1 bytes and 8 TiB, like 50MB or 5GiB, not "5 apples"',
    ],
    ['STOWAGE_POOL_WAIT', 'soon', 'STOWAGE_POOL_WAIT must be a time between 10 ms and 5 m, like 30s or 2h, not "soon"'],
    ['STOWAGE_PREPARED_STATEMENTS', 'maybe', 'STOWAGE_PREPARED_STATEMENTS must be on or off, not "maybe"'],
    ['STOWAGE_STORAGE_STATUS', 'Real', 'STOWAGE_STORAGE_STATUS must be legacy or real, not "Real"'],
    ['STOWAGE_CORS_ORIGINS', 'example.com', 'STOWAGE_CORS_ORIGINS must hold origins like https://example.com, not "example.com"'],
    ['STOWAGE_GRAPHQL_SCHEMAS', ',', 'STOWAGE_GRAPHQL_SCHEMAS must name at least one schema'],
    ['DATABASE_URL', 'mysql://x', 'DATABASE_URL must be a connection string like postgresql://user:password@host:5432/database'],
    ['JWT_SECRET', 'short', 'JWT_SECRET must have at least 32 bytes, not 5'],
    ['JWT_SECRET_FILE', '/nowhere/at/all', "JWT_SECRET_FILE cannot be read: ENOENT: no such file or directory, open '/nowhere/at/all'"],
    ['STOWAGE_STORE', 's3', 'STOWAGE_S3_BUCKET must name the bucket, since the store is s3'],
    ['STOWAGE_STORE_ALSO', 's3', 'STOWAGE_S3_BUCKET must name the bucket, since the store is s3'],
    ['STOWAGE_STORE_ALSO', 'fs', 'STOWAGE_STORE_ALSO must name the other store than STOWAGE_STORE'],
    ['STOWAGE_S3_ENDPOINT', 's3.example.com', 'STOWAGE_S3_ENDPOINT must be an address like https://s3.example.com, not "s3.example.com"'],
    ['STOWAGE_S3_ENDPOINT', 'https://me:pw@h', 'STOWAGE_S3_ENDPOINT must be an address like https://s3.example.com, without credentials'],
    ['STOWAGE_S3_PREFIX', '/a', 'STOWAGE_S3_PREFIX must be a folder like files/stowage, not "/a"'],
    ['STOWAGE_S3_PREFIX', 'a/../b', 'STOWAGE_S3_PREFIX must be a folder like files/stowage, not "a/../b"'],
    ['STOWAGE_JWKS', '{"keys":[]}', 'STOWAGE_JWKS must be a key set with at least one key, like {"keys":[...]}'],
    ['STOWAGE_JWKS', '{', 'STOWAGE_JWKS cannot be read: it is not JSON'],
    ['STOWAGE_JWKS', '/nowhere', "STOWAGE_JWKS cannot be read: ENOENT: no such file or directory, open '/nowhere'"],
    ['STOWAGE_UPLOAD_LIMITS', '1', 'STOWAGE_UPLOAD_LIMITS is not a setting; did you mean STOWAGE_UPLOAD_LIMIT?'],
    ['STOWAGE_TEAPOT', '1', 'STOWAGE_TEAPOT is not a setting'],
  ])('%s=%s is a problem', (name, text, problem) => {
    expect(problemsOf({ [name]: text })).toEqual([problem])
  })

  it('reports all problems at once', () => {
    expect(problemsOf({ PORT: 'x', STOWAGE_NOPE: '1', JWT_SECRET: 'short' })).toHaveLength(3)
  })

  it('reads secrets from files, one way at a time', async () => {
    const path = join(folder, 'secret')
    await writeFile(path, `${SECRET}\n`)
    expect(loadConfig({ JWT_SECRET_FILE: path }).config.jwtSecret).toBe(SECRET)
    expect(problemsOf({ JWT_SECRET_FILE: path, JWT_SECRET: SECRET })).toEqual([
      'JWT_SECRET: set only one of JWT_SECRET and JWT_SECRET_FILE',
    ])
  })

  it('never shows a secret in a problem', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://u:hunter2@h/d', JWT_SECRET: 'hunter2' }).join()).not.toContain('hunter2')
  })

  it('warns of secrets that stand in manuals', () => {
    expect(loadConfig({ JWT_SECRET: 'super-secret-jwt-token-with-at-least-32-characters-long' }).warnings).toHaveLength(1)
    expect(loadConfig({ JWT_SECRET: SECRET }).warnings).toEqual([])
  })
})
