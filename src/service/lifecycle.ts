/** A terminal's Ctrl-C reaches a process twice when npm stands between: once from the terminal, once from npm. */
const ECHO_MS = 500

const PARENT_CHECK_MS = 100

/**
 * Resolves when the process that started this one has ended: npm that was killed would leave a service behind that nobody sees.
 */
export function untilParentEnds(): Promise<void> {
  const parent = process.ppid
  return new Promise((resolve) => {
    const watch = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(watch)
      resolve()
    }, PARENT_CHECK_MS)
    watch.unref()
  })
}

/**
 * Resolves on the first SIGINT or SIGTERM. A second one, later than an echo of the first, ends the process at once.
 * SIGHUP counts too: a closed terminal must not leave a service that nobody sees.
 */
export function untilToldToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | null = null
    const told = (signal: NodeJS.Signals) => {
      if (firstAt === null) {
        firstAt = performance.now()
        resolve(signal)
      } else if (performance.now() - firstAt > ECHO_MS) process.exit(1)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, told)
  })
}
