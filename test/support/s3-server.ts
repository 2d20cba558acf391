import { type ChildProcess, spawn } from 'node:child_process'
import { access, constants, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { S3Place } from '../../src/bytes/s3/s3-calls.ts'

/** An S3-compatible server for tests: versitygw over a folder of its own. */
export type S3Server = {
  /** in a bucket made for this call */
  readonly place: (bucket: string) => Promise<S3Place & { readonly endpoint: string; readonly credentials: Credentials }>
  readonly stop: () => Promise<void>
}

export type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string }

const CREDENTIALS: Credentials = { accessKeyId: 'only-for-tests', secretAccessKey: 'a-secret-of-the-tests' }
const START_LIMIT_MS = 15_000

/** Where the server's program lies, or null; then the tests that need it are skipped, and say so. */
export async function findS3Server(): Promise<string | null> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folders = [
    join(cache, 'stowage', 'versitygw-1.8.0'),
    ...(process.env.GOBIN ? [process.env.GOBIN] : []),
    join(homedir(), 'go', 'bin'),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  for (const folder of folders) {
    const program = join(folder, 'versitygw')
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return program
  }
  return null
}

/** null where there is none; what is left out is said aloud. */
export async function s3Program(what: string): Promise<string | null> {
  const program = await findS3Server()
  if (program === null) console.warn(`SKIPPED: ${what}: there is no versitygw (.ci/run installs it where Go is present)`)
  return program
}

export async function startS3Server(program: string): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-s3-'))
  const data = join(folder, 'data')
  const meta = join(folder, 'meta')
  await mkdir(data)
  await mkdir(meta)
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const child = spawn(program, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', meta, data], {
    stdio: 'ignore',
    env: { ...process.env, ROOT_ACCESS_KEY: CREDENTIALS.accessKeyId, ROOT_SECRET_KEY: CREDENTIALS.secretAccessKey },
  })
  await answers(endpoint, child)
  return {
    place: async (bucket) => {
      // a folder is a bucket
      await mkdir(join(data, bucket))
      return { bucket, endpoint, region: 'us-east-1', pathStyle: true, prefix: '', credentials: CREDENTIALS }
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.exitCode === null) {
        child.kill('SIGTERM')
        await ended
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answers(endpoint: string, child: ChildProcess): Promise<void> {
  for (const until = Date.now() + START_LIMIT_MS; Date.now() < until; await sleep(30)) {
    if (child.exitCode !== null) throw new Error(`versitygw ended with ${child.exitCode}`)
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      return
  }
  child.kill('SIGKILL')
  throw new Error('versitygw does not answer')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}
