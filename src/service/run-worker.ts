import type { LoadedConfig } from '../config/load-config.ts'
import { reasonOf, type StartupError } from '../config/startup-error.ts'
import type { Log } from '../observe/log.ts'
import { compileSooner } from './compile-sooner.ts'
import { untilParentEnds } from './lifecycle.ts'
import { startService } from './start-service.ts'
import type { FromWorker, ToWorker } from './worker-messages.ts'

/**
 * A process of a cluster: serves on the ground that it is handed until it is told to stop, or whoever started it is gone. Signals of the
 * terminal reach it too and are left to the one who started it; SIGTERM at this process alone makes it leave, and another takes its place.
 */
export async function runWorker(loaded: LoadedConfig, log: Log): Promise<void> {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined)
  // Node does this too, but not while a connection is being handed over
  void untilParentEnds().then(() => process.exit(1))
  const told = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.on('message', (message: ToWorker) => message.kind === 'stop' && resolve())
  })
  const order = new Promise<Extract<ToWorker, { kind: 'serve' }>>((resolve) =>
    process.on('message', (message: ToWorker) => message.kind === 'serve' && resolve(message)),
  )
  tell({ kind: 'hello' })
  const first = await Promise.race([order, told])
  if (!first) return
  try {
    const { ground, port } = first
    const onLine = (message: string) =>
      log.observe({ kind: 'note', level: 'debug', message: 'a step of the start', details: { step: message } })
    const onLost = (error: StartupError) => log.observe({ kind: 'failure', message: 'the service cannot go on', error })
    const service = await startService({ loaded, log, onLine, onLost, ground, port })
    const { reading } = service
    if (reading)
      process.on('message', (message: ToWorker) => {
        if (message.kind === 'measure')
          void reading.now().then(
            (measured) => tell({ kind: 'measured', measured }),
            () => tell({ kind: 'measured', measured: reading.counted() }),
          )
      })
    tell({ kind: 'ready', baseUrl: service.baseUrl })
    compileSooner()
    await told
    await service.stop()
    if (reading) await untilTold({ kind: 'last', measured: reading.counted() })
  } catch (error) {
    tell({ kind: 'failed', message: reasonOf(error) })
    // what was sent has to leave first
    await new Promise((resolve) => setTimeout(resolve, 100))
    process.exitCode = 1
  }
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message)
}

/** What is still on its way would end with the process. */
const untilTold = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => (process.connected && process.send ? process.send(message, () => resolve()) : resolve()))
