import { execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../demo/own-service.js'
import { ask, createAgent } from './http.js'

/**
 * The service as users run it, from `dist`, on a data folder that may lie on a faulted disk.
 * @typedef {object} Place
 * @property {string} data the data folder, PostgreSQL's files included
 * @property {NodeJS.ProcessEnv} env
 * @property {number} port
 *
 * @typedef {object} Running
 * @property {number} pid
 * @property {number} servingAfterMs from its start to the first `ready`
 * @property {() => string} said
 * @property {() => string} logged of that, the log: a first start also shows the keys, to whoever started it
 * @property {() => boolean} hasEnded
 * @property {Promise<number | string>} exited
 * @property {(signal: NodeJS.Signals) => void} kill
 * @property {(message: object) => Promise<any>} tell a preloaded module, which answers; null: the process is gone
 * @property {() => readonly string[]} faults that nobody caught
 *
 * @typedef {{ baseUrl: string, anonKey: string, serviceKey: string, jwtSecret: string, databaseUrl: string }} Keys
 */

const STOWAGE = fileURLToPath(new URL('../bin/stowage.js', import.meta.url))
const WATCH = fileURLToPath(new URL('preload/watch.js', import.meta.url))
const START_LIMIT_MS = 60_000

/**
 * @param {string} data
 * @param {Record<string, string>} [settings]
 * @returns {Promise<Place>}
 */
export async function choosePlace(data, settings = {}) {
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: String(port),
    STOWAGE_DATA: data,
    STOWAGE_POSTGRES_PORT: String(await freePort()),
    STOWAGE_SWEEP_GRACE: '1s',
    STOWAGE_SWEEP_INTERVAL: '200ms',
    STOWAGE_DRAIN_LIMIT: '5s',
    STOWAGE_LOG_LEVEL: 'warn',
    ...settings,
  }
  return { data, env, port }
}

/**
 * @param {Place} place
 * @param {readonly string[]} [preloads] modules that Node loads first, with `TORTURE_*` of the environment to tell them what to do
 * @param {Record<string, string>} [orders]
 * @returns {Promise<Running>}
 */
export async function startService({ env, port }, preloads = [], orders = {}) {
  const began = performance.now()
  const imports = [WATCH, ...preloads].flatMap((file) => ['--import', file])
  const child = spawn(process.execPath, [...imports, STOWAGE, 'serve'], {
    env: { ...env, ...orders },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  /** @type {string[]} */
  const faults = []
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map()
  let asked = 0
  child.on('message', (/** @type {{ fault?: string, id?: number, answer?: unknown }} */ { fault, id, answer }) => {
    if (fault !== undefined) faults.push(fault)
    if (id !== undefined) waiting.get(id)?.(answer)
  })
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? 1)))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  /** @type {(message: object) => Promise<any>} */
  const tell = (message) =>
    new Promise((resolve) => {
      const id = ++asked
      waiting.set(id, resolve)
      exited.then(() => resolve(null))
      child.send({ id, ...message }, (error) => error && resolve(null))
    })
  while (!hasEnded()) {
    if (await isReady(port)) {
      const servingAfterMs = performance.now() - began
      return {
        pid: child.pid ?? 0,
        servingAfterMs,
        said: () => output,
        logged: () => logIn(output),
        hasEnded,
        exited,
        kill: (signal) => child.kill(signal),
        tell,
        faults: () => faults,
      }
    }
    if (performance.now() - began > START_LIMIT_MS) break
    await sleep(10)
  }
  child.kill('SIGKILL')
  throw new Error(`the service did not start:\n${output}`)
}

/** @param {string} output */
const logIn = (output) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') || line.startsWith('stowage: '))
    .join('\n')

/** @param {number} port */
export const isReady = (port) =>
  ask({ port, method: 'GET', path: '/health/ready', deadlineMs: 5_000 }).then(
    ({ status }) => status === 200,
    () => false,
  )

/** @param {Place} place @returns {Promise<Keys>} */
export async function keysOf({ env }) {
  const { stdout } = await promisify(execFile)(process.execPath, [STOWAGE, 'keys', '--json'], { env })
  return JSON.parse(stdout)
}

/** The processes of the PostgreSQL in a data folder: the server first, then its children. @param {Pick<Place, 'data'>} place @returns {Promise<number[]>} */
export async function postgresPids({ data }) {
  const noted = await readFile(join(data, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
  const server = Number(noted.split('\n')[0])
  return server && (await commandOf(server)).includes('stowage-') ? withChildren(server) : []
}

/** @param {number} server @returns {Promise<number[]>} */
export async function withChildren(server) {
  if (!server) return []
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(all.map(parentOf))
  return [server, ...all.filter((_, i) => parents[i] === server)]
}

/** @param {number} pid */
const commandOf = (pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')

/** @param {number} pid @returns {Promise<number | null>} */
async function parentOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return parent === undefined ? null : Number(parent)
}

/** Ends PostgreSQL as a power cut does, and waits until nothing of it is left. @param {readonly number[]} pids */
export async function killPostgres(pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // gone by itself
    }
  }
  for (const pid of pids) while ((await commandOf(pid)) !== '') await sleep(5)
}

/**
 * @param {Place} place
 * @param {Keys} keys
 * @param {readonly string[]} users
 * @returns {import('./operation.js').Caller}
 */
export function callerOf({ port }, { serviceKey, anonKey, jwtSecret }, users) {
  const tokens = Object.fromEntries(users.map((sub) => [sub, signToken({ role: 'authenticated', sub }, jwtSecret)]))
  return { port, tokens: { service: serviceKey, ...tokens }, anonKey, agent: createAgent() }
}

/** @param {object} claims @param {string} secret HS256, RFC 7515 */
function signToken(claims, secret) {
  const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ ...claims, exp: Math.floor(Date.now() / 1000) + 86_400 })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
