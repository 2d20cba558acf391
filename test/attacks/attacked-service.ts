import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, type Keys, keysOf } from '../../demo/own-service.js'
import { request, send } from './raw.ts'

/** A service as users run it, in a process of its own with its own PostgreSQL, and what the tests need to look into it. */
export type AttackedService = {
  readonly port: number
  readonly pid: number
  readonly keys: Keys
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** all of its output so far, both streams */
  readonly said: () => string
  /** @param collect garbage first, where Node was started with --expose-gc */
  readonly ask: (collect?: boolean) => Promise<Inside>
  readonly hasEnded: () => boolean
  readonly kill: (signal: NodeJS.Signals) => void
  readonly stop: () => Promise<void>
}

/** See probe.js. Asking sets `loopDelayMs` back. */
export type Inside = {
  readonly loopDelayMs: number
  readonly faults: readonly string[]
  readonly residentBytes: number
  /** of the heap and of buffers outside it */
  readonly heldBytes: number
}

const STOWAGE = join(import.meta.dirname, '../../bin/stowage.js')
const PROBE = join(import.meta.dirname, 'probe.js')

/** Short enough for tests to wait them out. */
const SETTINGS = {
  STOWAGE_LOG_LEVEL: 'debug',
  STOWAGE_HEADER_TIMEOUT: '2s',
  STOWAGE_SLOW_BODY_GRACE: '2s',
  STOWAGE_MIN_BODY_RATE: '256',
  STOWAGE_SWEEP_GRACE: '1s',
  STOWAGE_SWEEP_INTERVAL: '200ms',
}

/** @param nodeOptions for Node itself, like a limit of its heap */
export async function startAttackedService(
  settings: Readonly<Record<string, string>> = {},
  nodeOptions: readonly string[] = [],
): Promise<AttackedService> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-attacked-'))
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: String(port),
    STOWAGE_DATA: join(folder, 'data'),
    ...SETTINGS,
    ...settings,
  }
  const child = spawn(process.execPath, [...nodeOptions, '--import', PROBE, STOWAGE, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => output.push(text.toString()))
  const said = () => {
    const all = output.join('')
    output.splice(0, output.length, all)
    return all
  }
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    await rm(folder, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 600 && !hasEnded(); tries++) {
    if (await isReady(port)) {
      const keys = await keysOf(env)
      return { port, pid: child.pid ?? 0, keys, folder, env, said, ask: asker(child), hasEnded, kill: (signal) => child.kill(signal), stop }
    }
    await sleep(50)
  }
  await stop()
  throw new Error(`The service did not start:\n${said()}`)
}

async function isReady(port: number): Promise<boolean> {
  const { answers } = await send(port, request('GET', '/health/ready'))
  return answers[0]?.status === 200
}

function asker(child: ChildProcess): AttackedService['ask'] {
  let id = 0
  const waiting = new Map<number, (inside: Inside) => void>()
  child.on('message', (message) => {
    const inside = message as Inside & { readonly id: number }
    waiting.get(inside.id)?.(inside)
    waiting.delete(inside.id)
  })
  return (collect = false) =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the event loop of the service did not turn for 10 s')), 10_000)
      waiting.set(++id, (inside) => {
        clearTimeout(late)
        resolve(inside)
      })
      child.send({ id, collect }, (error) => error && reject(error))
    })
}
