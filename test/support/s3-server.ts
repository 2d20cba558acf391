import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3Place } from '../../src/bytes/s3/s3-calls.ts'
import { findGateway, startGateway } from '../../torture/gateway.js'

/** An S3-compatible server for tests: versitygw over a folder of its own, or the one that runs at the address in TEST_S3. */
export type S3Server = {
  /** in a bucket made for this call */
  readonly place: (bucket: string) => Promise<S3Place & { readonly endpoint: string; readonly credentials: Credentials }>
  /** the settings of a service whose bytes lie in a bucket made for this call */
  readonly settings: (bucket: string) => Promise<Record<string, string>>
  readonly stop: () => Promise<void>
}

export type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string }

/** The program or the address of one; null where there is none; what is left out is said aloud. */
export async function s3Program(what: string): Promise<string | null> {
  const program = process.env.TEST_S3 || (await findGateway())
  if (program === null) console.warn(`SKIPPED: ${what}: there is no versitygw (.ci/run installs it where Go is present)`)
  return program
}

export async function startS3Server(program: string): Promise<S3Server> {
  return /^https?:/.test(program) ? runningServer(program) : ownGateway(program)
}

async function ownGateway(program: string): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-s3-'))
  const { data, endpoint, credentials, end } = await startGateway(program, folder)
  // a folder is a bucket
  const make = (bucket: string) => mkdir(join(data, bucket))
  return {
    ...placesOn(endpoint, credentials, async (bucket) => {
      await make(bucket)
      return bucket
    }),
    stop: async () => {
      await end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** With the credentials of the environment. Its buckets are left behind. */
function runningServer(endpoint: string): S3Server {
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = process.env
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  return {
    ...placesOn(endpoint, credentials, async (bucket) => {
      const unused = `${bucket}-${randomBytes(4).toString('hex')}`
      await client.send(new CreateBucketCommand({ Bucket: unused }))
      return unused
    }),
    stop: async () => client.destroy(),
  }
}

const placesOn = (endpoint: string, credentials: Credentials, make: (bucket: string) => Promise<string>): Omit<S3Server, 'stop'> => ({
  place: async (bucket) => ({ bucket: await make(bucket), endpoint, region: 'us-east-1', pathStyle: true, prefix: '', credentials }),
  settings: async (bucket) => ({
    ...{ STOWAGE_STORE: 's3', STOWAGE_S3_BUCKET: await make(bucket), STOWAGE_S3_ENDPOINT: endpoint, STOWAGE_S3_PATH_STYLE: 'true' },
    ...{ AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey },
  }),
})
