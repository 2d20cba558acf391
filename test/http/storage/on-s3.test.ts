import { afterAll, beforeAll, describe } from 'vitest'
import { s3Program } from '../../support/s3-server.ts'

/** The wire tests once more, with the bytes on S3: a part of them every day, all of them where TEST_HEAVY is set. */
const EVERY_DAY = ['upload', 'read']
const ALL = [
  ...EVERY_DAY,
  'browser',
  'headers',
  'keys',
  'list-flat',
  'openapi',
  'policies',
  'races',
  'rights',
  '../../compat/storage/clients',
  '../../compat/storage/storage',
]

const program = await s3Program('the storage wire tests on S3')

describe.skipIf(program === null).each(process.env.TEST_HEAVY ? ALL : EVERY_DAY)('on S3: %s', async (file) => {
  beforeAll(() => {
    process.env.TEST_STORE = 's3'
  })
  afterAll(() => {
    delete process.env.TEST_STORE
  })
  await import(`./${file}.test.ts`)
})
