import cluster, { type Worker as ClusterWorker } from 'node:cluster'
import { StartupError } from '../config/startup-error.ts'
import type { Measurements } from '../observe/measurements.ts'
import { createMetrics } from '../observe/metrics.ts'
import type { Observe } from '../observe/observation.ts'
import { assertNever } from '../std/assert-never.ts'
import { milliseconds } from '../std/brand.ts'
import { closeUndelivered } from './close-undelivered.ts'
import { createClosers } from './closers.ts'
import { type Crew, startCrew, type Worker } from './crew.ts'
import { gatherMeasurements, type Measured } from './gather-measurements.ts'
import { type GroundDeps, openGround, STOP_GRACE_MS } from './open-ground.ts'
import { serveMetrics } from './serve-metrics.ts'
import type { RunningService } from './start-service.ts'
import type { FromWorker, ToWorker } from './worker-messages.ts'

export type RunningCluster = RunningService & { readonly replaceAll: Crew<Worker>['replaceAll'] }

/** Within the ten seconds that Prometheus waits, unless it is told otherwise. */
const MEASURE_LIMIT = milliseconds(5_000)

/**
 * The service as several processes on one port. This one opens folder, secrets and database and serves nothing; each worker is this
 * program again, opens its pools, and serves. Node hands new connections out in turn.
 * @throws StartupError
 */
export async function startCluster(deps: GroundDeps): Promise<RunningCluster> {
  const { config } = deps.loaded
  const { add, closeAll } = createClosers()
  try {
    let baseUrl: string | null = null
    let stopping = false
    const ground = await openGround(
      deps,
      () => ({ pid: process.pid, baseUrl, stopping }),
      add,
      () => undefined,
    )
    const patienceMs = milliseconds(config.drainLimit + STOP_GRACE_MS)
    let port = config.port
    // what this process itself has to tell of its workers
    const metrics = createMetrics()
    const observe: Observe = (observation) => {
      deps.log.observe(observation)
      metrics.observe(observation)
    }
    const gathering = gatherMeasurements(() => metrics.measure({}), MEASURE_LIMIT)
    let workers: () => readonly Measured[] = () => []
    const read = () => gathering.read(workers())
    // the numbers are there until the last request has ended
    const metricsUrl = config.metricsPort === null ? null : await serveMetrics({ config, log: deps.log, read }, add)

    const start = () => {
      const worker = forkWorker(
        () => ({ kind: 'serve', ground, port }),
        (address) => {
          baseUrl = address
          // where the settings left it open, all later ones go where the first one is
          port = Number(new URL(address).port) || port
        },
        (measured) => gathering.note(worker, measured),
      )
      void worker.silent.then(() => gathering.left(worker))
      return worker
    }
    const crew = await startCrew({ size: config.workers, start, patienceMs, observe })
    add(crew.stop)
    workers = crew.workers
    if (baseUrl === null) throw new StartupError('The workers did not say where they serve.')

    let stopped: Promise<void> | undefined
    const stop = () => {
      stopping = true
      stopped ??= closeAll()
      return stopped
    }
    return { baseUrl, metricsUrl, databaseUrl: ground.databaseUrl, secrets: ground.secrets, stop, replaceAll: crew.replaceAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

type Forked = Worker &
  Measured & {
    /** settles when nothing more will be heard of it */
    readonly silent: Promise<void>
  }

function forkWorker(order: () => ToWorker, onReady: (baseUrl: string) => void, onLast: (measured: Measurements) => void): Forked {
  const worker = cluster.fork()
  closeUndelivered(worker.process)
  const send = (message: ToWorker) => {
    if (worker.isConnected()) worker.send(message)
  }
  let why: string | null = null
  let serves = false
  /** of the one question that may be open: whoever is frozen is not asked twice */
  let asked: { readonly answer: Promise<Measurements>; readonly settle: (measured: Measurements) => void } | null = null
  // what is said before it listens is lost
  let listens = false
  let isToStop = false
  const ended = new Promise<string>((resolve) =>
    worker.once('exit', (code, signal) => resolve(why ?? (signal ? `killed by ${signal}` : `exit code ${code}`))),
  )
  // what was on its way is read before this comes
  const silent = new Promise<void>((resolve) => worker.once('disconnect', resolve))
  const ready = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      switch (message.kind) {
        case 'hello':
          listens = true
          return send(isToStop ? { kind: 'stop' } : order())
        case 'failed':
          why = message.message
          return
        case 'measured':
          asked?.settle(message.measured)
          asked = null
          return
        case 'last':
          return onLast(message.measured)
        case 'ready':
          serves = true
          onReady(message.baseUrl)
          return resolve()
        default:
          assertNever(message)
      }
    })
    void ended.then((how) => reject(new StartupError(why ?? `A worker ended before it served: ${how}.`)))
  })
  worker.on('error', () => undefined)
  return {
    pid: pidOf(worker),
    ready,
    ended,
    silent,
    measure: async () => {
      if (!serves || !worker.isConnected()) throw new Error('it does not serve')
      if (!asked) {
        let settle: (measured: Measurements) => void = () => undefined
        const answer = new Promise<Measurements>((resolve) => {
          settle = resolve
        })
        asked = { answer, settle }
        send({ kind: 'measure' })
      }
      return asked.answer
    },
    stop: () => {
      isToStop = true
      if (listens) send({ kind: 'stop' })
    },
    kill: () => worker.process.kill('SIGKILL'),
  }
}

const pidOf = (worker: ClusterWorker): number => worker.process.pid ?? 0
