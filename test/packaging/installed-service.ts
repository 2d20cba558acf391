import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { freePort } from '../../demo/own-service.js'

export const run = promisify(execFile)

/** Neither what npm tells the tests about our own package nor settings of ours. */
export const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(?:npm_(?!config_(?:registry|cache|userconfig))|STOWAGE_|OTEL_|INIT_CWD|NODE_ENV|VITEST|DATABASE_URL|JWT_SECRET|HOST$|PORT$)/.test(
          name,
        ),
    ),
  )

export type Started = { readonly baseUrl: string; readonly said: () => string; readonly stop: () => Promise<unknown> }

/** Starts a command that serves, and waits until it says that it is ready. */
export async function startInstalled(
  command: readonly string[],
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly uid?: number; readonly gid?: number },
): Promise<Started> {
  const port = await freePort()
  const [program = '', ...args] = command
  const env = { ...where.env, HOST: '127.0.0.1', PORT: String(port) }
  const child: ChildProcess = spawn(program, args, { ...where, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      said += chunk
    })
  }
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
  const baseUrl = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
    const answer = await fetch(`${baseUrl}/health/ready`).catch(() => null)
    if (answer?.ok) {
      return {
        baseUrl,
        said: () => said,
        stop: () => {
          child.kill('SIGTERM')
          return ended
        },
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.kill('SIGKILL')
  throw new Error(`it did not start:\n${said}`)
}

/** A bucket, a file in and out again, and a question: what a user does first. */
export async function expectToWork(baseUrl: string, keys: { readonly serviceKey: string; readonly anonKey: string }): Promise<void> {
  const authorization = `Bearer ${keys.serviceKey}`
  const json = { authorization, 'content-type': 'application/json' }
  const bucket = await fetch(`${baseUrl}/bucket`, { method: 'POST', headers: json, body: '{"name":"photos","public":true}' })
  expect(await bucket.text()).toBe('{"name":"photos"}')
  const content = Buffer.from('not a photograph')
  const uploaded = await fetch(`${baseUrl}/object/photos/a/first.txt`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'text/plain' },
    body: content,
  })
  expect(uploaded.status).toBe(200)
  const read = await fetch(`${baseUrl}/storage/v1/object/public/photos/a/first.txt`)
  expect([read.headers.get('content-type'), await read.text()]).toEqual(['text/plain', String(content)])
  const answer = await fetch(`${baseUrl}/graphql/v1`, {
    method: 'POST',
    headers: { apikey: keys.anonKey, 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  })
  expect(await answer.json()).toEqual({ data: { __typename: 'Query' } })
}
