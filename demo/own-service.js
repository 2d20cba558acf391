import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/**
 * @typedef {{ baseUrl: string, anonKey: string, serviceKey: string, jwtSecret: string, databaseUrl: string }} Keys
 * @typedef {object} OwnService
 * @property {Keys} keys
 * @property {number} pid
 * @property {string} folder
 * @property {NodeJS.ProcessEnv} env what commands need to mean this service
 * @property {() => string} said the last of its output
 * @property {() => Promise<void>} stop
 * @property {(settings: Record<string, string>) => Promise<OwnService>} again stops it, and starts it on the same data with these settings
 */

const STOWAGE = fileURLToPath(new URL('../bin/stowage.js', import.meta.url))

/**
 * Starts the service the way a user does, on a new data folder that `stop` removes.
 * @param {Record<string, string>} [settings] environment variables besides the folder's and the address's
 * @returns {Promise<OwnService>}
 */
export const startOwnService = async (settings = {}) => startOn(await mkdtemp(join(tmpdir(), 'stowage-own-')), settings)

/**
 * @param {string} folder
 * @param {Record<string, string>} settings
 * @returns {Promise<OwnService>}
 */
async function startOn(folder, settings) {
  // whatever is set here for another service must not reach this one
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:STOWAGE_.*|OTEL_.*|(?:DATABASE_URL|JWT_SECRET)(?:_FILE)?|HOST|PORT)$/.test(name),
  )
  const env = { ...Object.fromEntries(inherited), STOWAGE_DATA: folder, HOST: '127.0.0.1', PORT: String(await freePort()), ...settings }
  const child = spawn(process.execPath, ['--max-semi-space-size=4', STOWAGE, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said = (said + chunk).slice(-20_000)
    })
  }
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const end = async () => {
    child.kill('SIGTERM')
    await exited
  }
  const stop = async () => {
    await end()
    await rm(folder, { recursive: true, force: true })
  }
  const again = async (/** @type {Record<string, string>} */ others) => {
    await end()
    return startOn(folder, others)
  }
  for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
    if (await isReady(`http://127.0.0.1:${env.PORT}`)) {
      return { keys: await keysOf(env), pid: child.pid ?? 0, folder, env, said: () => said, stop, again }
    }
    await sleep(100)
  }
  await stop()
  throw new Error(`The service did not start:\n${said}`)
}

/**
 * What `stowage keys --json` prints for these settings.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Keys>}
 */
export async function keysOf(env) {
  const { stdout } = await promisify(execFile)(process.execPath, [STOWAGE, 'keys', '--json'], { env })
  return JSON.parse(stdout)
}

/** @param {string} baseUrl */
export const isReady = (baseUrl) =>
  fetch(`${baseUrl}/health/ready`).then(
    (response) => response.ok,
    () => false,
  )

/** @returns {Promise<number>} */
export const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no free port'))))
    })
  })
