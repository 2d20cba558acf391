// Preloaded into the service under the soak (node --import): says over the IPC channel what it holds, and lets calls to the disk fail.
import fs from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

/** @type {string[]} */
const faults = []
process.on('uncaughtExceptionMonitor', (error, origin) => faults.push(`${origin}: ${error instanceof Error ? error.stack : String(error)}`))

let failing = 0
let failed = 0
const fails = () => {
  if (Math.random() >= failing) return false
  failed++
  return true
}
const failure = (/** @type {string} */ syscall) =>
  Object.assign(new Error(`EIO: of the soak, ${syscall}`), { code: 'EIO', errno: -5, syscall })

const { open } = fs
fs.open = async (path, flags, mode) => {
  if (!String(path).includes('/bytes')) return open(path, flags, mode)
  if (fails()) throw failure('open')
  const file = await open(path, flags, mode)
  for (const name of /** @type {const} */ (['sync', 'write', 'read'])) {
    const call = /** @type {(...args: unknown[]) => Promise<never>} */ (file[name].bind(file))
    Object.assign(file, { [name]: async (/** @type {unknown[]} */ ...args) => (fails() ? Promise.reject(failure(name)) : call(...args)) })
  }
  return file
}

process.on('message', (/** @type {{ id: number, failing?: number }} */ message) => {
  if (message.failing !== undefined) failing = message.failing
  collect()
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
  process.send?.({
    id: message.id,
    rss,
    heapUsed,
    external: external + arrayBuffers,
    handles: process.getActiveResourcesInfo().length,
    failed,
    faults,
  })
})
process.channel?.unref()
