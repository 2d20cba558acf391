import { spawn } from 'node:child_process'
import { access, constants, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../demo/own-service.js'

/**
 * An S3-compatible server over a folder: versitygw. What it holds can be read past it, as plain files.
 * @typedef {object} Gateway
 * @property {string} endpoint
 * @property {string} data a folder in it is a bucket
 * @property {{ readonly accessKeyId: string, readonly secretAccessKey: string }} credentials
 * @property {() => Promise<void>} start again, on the same port
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {(signal: NodeJS.Signals) => Promise<void>} end
 */

export const VERSION = '1.8.0'
const CREDENTIALS = { accessKeyId: 'only-for-tests', secretAccessKey: 'a-secret-of-the-tests' }
const START_LIMIT_MS = 15_000

/** Where the program lies; null: nowhere. @returns {Promise<string | null>} */
export async function findGateway() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folders = [
    join(cache, 'stowage', `versitygw-${VERSION}`),
    ...(process.env.GOBIN ? [process.env.GOBIN] : []),
    join(homedir(), 'go', 'bin'),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  for (const folder of folders) {
    const program = join(folder, 'versitygw')
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return program
  }
  return null
}

/**
 * @param {string} program
 * @param {string} folder exists and is empty
 * @returns {Promise<Gateway>}
 */
export async function startGateway(program, folder) {
  const data = join(folder, 'data')
  const meta = join(folder, 'meta')
  for (const path of [data, meta]) await mkdir(path)
  const address = `127.0.0.1:${await freePort()}`
  const endpoint = `http://${address}`
  const env = { PATH: process.env.PATH, ROOT_ACCESS_KEY: CREDENTIALS.accessKeyId, ROOT_SECRET_KEY: CREDENTIALS.secretAccessKey }
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null

  const start = async () => {
    const started = spawn(program, ['--port', address, '--quiet', 'posix', '--sidecar', meta, data], { stdio: 'ignore', env })
    child = started
    const hasEnded = new Promise((resolve) => started.once('exit', resolve))
    for (const until = performance.now() + START_LIMIT_MS; performance.now() < until; await sleep(20)) {
      if (started.exitCode !== null) throw new Error(`versitygw ended with ${started.exitCode}`)
      const answers = await fetch(endpoint).then(
        () => true,
        () => false,
      )
      if (answers) return
    }
    started.kill('SIGKILL')
    await hasEnded
    throw new Error('versitygw does not answer')
  }
  await start()
  return {
    endpoint,
    data,
    credentials: CREDENTIALS,
    start,
    signal: (signal) => child?.kill(signal),
    end: async (signal) => {
      const running = child
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      const hasEnded = new Promise((resolve) => running.once('exit', resolve))
      running.kill(signal)
      await hasEnded
    },
  }
}
