import cluster, { type Worker as ClusterWorker } from 'node:cluster'
import { StartupError } from '../config/startup-error.ts'
import { milliseconds } from '../std/brand.ts'
import { type Crew, startCrew, type Worker } from './crew.ts'
import { type GroundDeps, openGround, STOP_GRACE_MS } from './open-ground.ts'
import type { RunningService } from './start-service.ts'
import type { FromWorker, ToWorker } from './worker-messages.ts'

export type RunningCluster = RunningService & { readonly replaceAll: Crew['replaceAll'] }

/**
 * The service as several processes on one port. This one opens folder, secrets and database and serves nothing; each worker is this
 * program again, opens its pools, and serves. Node hands new connections out in turn.
 * @throws StartupError
 */
export async function startCluster(deps: GroundDeps): Promise<RunningCluster> {
  const { config } = deps.loaded
  const closers: (() => Promise<void>)[] = []
  const closeAll = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close()
  }
  try {
    let baseUrl: string | null = null
    let stopping = false
    const ground = await openGround(
      deps,
      () => ({ pid: process.pid, baseUrl, stopping }),
      (close) => closers.push(close),
      () => undefined,
    )
    const patienceMs = milliseconds(config.drainLimit + STOP_GRACE_MS)
    let port = config.port
    const start = () =>
      forkWorker(
        () => ({ kind: 'serve', ground, port }),
        (address) => {
          baseUrl = address
          // where the settings left it open, all later ones go where the first one is
          port = Number(new URL(address).port) || port
        },
      )
    const crew = await startCrew({ size: config.workers, start, patienceMs, observe: deps.log.observe })
    closers.push(crew.stop)
    if (baseUrl === null) throw new StartupError('The workers did not say where they serve.')

    let stopped: Promise<void> | undefined
    const stop = () => {
      stopping = true
      stopped ??= closeAll()
      return stopped
    }
    return { baseUrl, metricsUrl: null, databaseUrl: ground.databaseUrl, secrets: ground.secrets, stop, replaceAll: crew.replaceAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

function forkWorker(order: () => ToWorker, onReady: (baseUrl: string) => void): Worker {
  const worker = cluster.fork()
  const send = (message: ToWorker) => {
    if (worker.isConnected()) worker.send(message)
  }
  let why: string | null = null
  const ended = new Promise<string>((resolve) =>
    worker.once('exit', (code, signal) => resolve(why ?? (signal ? `killed by ${signal}` : `exit code ${code}`))),
  )
  const ready = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'hello') send(order())
      else if (message.kind === 'failed') why = message.message
      else {
        onReady(message.baseUrl)
        resolve()
      }
    })
    void ended.then((how) => reject(new StartupError(why ?? `A worker ended before it served: ${how}.`)))
  })
  worker.on('error', () => undefined)
  return { pid: pidOf(worker), ready, ended, stop: () => send({ kind: 'stop' }), kill: () => worker.process.kill('SIGKILL') }
}

const pidOf = (worker: ClusterWorker): number => worker.process.pid ?? 0
