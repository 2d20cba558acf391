import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, keysOf } from '../demo/own-service.js'

const STOWAGE = fileURLToPath(new URL('../bin/stowage.js', import.meta.url))

/**
 * Seconds from starting the process to the first object served, with the built-in database on a data folder that is there already.
 * @param {number} rounds
 * @returns {Promise<number[]>}
 */
export async function coldStarts(rounds) {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-cold-'))
  const env = { ...process.env, STOWAGE_DATA: folder, HOST: '127.0.0.1', PORT: String(await freePort()), STOWAGE_LOG_LEVEL: 'warn' }
  const base = `http://127.0.0.1:${env.PORT}`
  const object = `${base}/object/public/cold/file`
  try {
    await run(
      env,
      async () => {
        const { serviceKey } = await keysOf(env)
        const headers = { authorization: `Bearer ${serviceKey}`, 'content-type': 'application/json' }
        await fetch(`${base}/bucket`, { method: 'POST', headers, body: JSON.stringify({ id: 'cold', name: 'cold', public: true }) })
        await fetch(`${base}/object/cold/file`, { method: 'POST', headers, body: '{}' })
      },
      `${base}/health/ready`,
    )
    const seconds = []
    for (let i = 0; i < rounds; i++) seconds.push(await run(env, async () => undefined, object))
    return seconds
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {() => Promise<void>} work once `url` answers
 * @param {string} url
 */
async function run(env, work, url) {
  const start = performance.now()
  const child = spawn(process.execPath, [STOWAGE, 'serve'], { env, stdio: 'ignore' })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  try {
    while (!(await answers(url))) {
      if (child.exitCode !== null || performance.now() - start > 60_000) throw new Error('the service did not start')
      await sleep(5)
    }
    const seconds = (performance.now() - start) / 1000
    await work()
    return seconds
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}

/** @param {string} url */
const answers = (url) =>
  fetch(url).then(
    async (response) => {
      await response.arrayBuffer()
      return response.ok
    },
    () => false,
  )
