import { afterAll, beforeAll, describe } from 'vitest'
import { s3Program } from '../../support/s3-server.ts'

/** The wire tests once more, with the bytes on S3: a part of them every day, all of them where TEST_HEAVY is set. */
const EVERY_DAY: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['upload', () => import('./upload.test.ts')],
  ['read', () => import('./read.test.ts')],
]
const ALL: typeof EVERY_DAY = [
  ...EVERY_DAY,
  ['browser', () => import('./browser.test.ts')],
  ['headers', () => import('./headers.test.ts')],
  ['keys', () => import('./keys.test.ts')],
  ['list-flat', () => import('./list-flat.test.ts')],
  ['openapi', () => import('./openapi.test.ts')],
  ['policies', () => import('./policies.test.ts')],
  ['races', () => import('./races.test.ts')],
  ['rights', () => import('./rights.test.ts')],
  ['clients', () => import('../../compat/storage/clients.test.ts')],
  ['compatibility', () => import('../../compat/storage/storage.test.ts')],
]

const program = await s3Program('the storage wire tests on S3')

describe.skipIf(program === null).each(process.env.TEST_HEAVY ? ALL : EVERY_DAY)('on S3: %s', async (_, load) => {
  beforeAll(() => {
    process.env.TEST_STORE = 's3'
  })
  afterAll(() => {
    delete process.env.TEST_STORE
  })
  await load()
})
