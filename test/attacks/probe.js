// Preloaded into a service under attack (node --import): says over the IPC channel what cannot be seen from outside.
import { performance } from 'node:perf_hooks'

const INTERVAL_MS = 10

/** @type {string[]} */
const faults = []
process.on('uncaughtExceptionMonitor', (error, origin) => faults.push(`${origin}: ${error instanceof Error ? error.stack : String(error)}`))

let worst = 0
let last = performance.now()
let cpu = process.cpuUsage()

// How long the event loop was kept from its timers, as far as this process itself was computing: on a busy machine a process
// also waits for its turn, which is nobody's fault.
setInterval(() => {
  const now = performance.now()
  const used = process.cpuUsage(cpu)
  worst = Math.max(worst, Math.min(now - last - INTERVAL_MS, (used.user + used.system) / 1000))
  last = now
  cpu = process.cpuUsage()
}, INTERVAL_MS).unref()

if (process.send) {
  process.on('message', (/** @type {{ id: number, collect: boolean }} */ { id, collect }) => {
    // there for a service that was started with --expose-gc
    if (collect) globalThis.gc?.()
    const { rss, heapUsed, external } = process.memoryUsage()
    process.send?.({ id, loopDelayMs: worst, faults, residentBytes: rss, heldBytes: heapUsed + external })
    worst = 0
  })
  process.channel?.unref()
}
