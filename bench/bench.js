import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { startOwnService } from '../demo/own-service.js'
import { askChild } from './child.js'
import { coldStarts } from './cold-start.js'
import { canMeasureCpu, cpuSeconds, databaseOf, forgetPeak, peakMiB } from './cpu.js'
import { CLAIMS } from './graphql-questions.js'
import { graphqlTargets, loadGraphqlData } from './graphql-workloads.js'
import { HELP, readOptions } from './options.js'
import { measureGrowth } from './scale.js'
import { SUBJECT, storageTargets } from './storage-workloads.js'
import { printTables, spread } from './table.js'

/**
 * @typedef {import('./table.js').Cell} Cell
 * @typedef {import('./load.js').Job} Job
 * @typedef {import('./load.js').Outcome} Outcome
 * @typedef {import('./options.js').Options} Options
 * @typedef {{ requests: number, seconds: number, p99Ms?: number }} Done
 *
 * A server under test. `storage` is the address of its storage API; pids are null where it runs elsewhere.
 * @typedef {object} Server
 * @property {string} name
 * @property {string} url
 * @property {string} storage
 * @property {string} host
 * @property {number} port
 * @property {string} serviceKey
 * @property {string} anonKey
 * @property {string} userToken reads the folder of one user
 * @property {string} tenantToken of {@link CLAIMS}
 * @property {string | null} databaseUrl
 * @property {number | null} pid
 * @property {number | null} databasePid
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {number | null} serverPid
 * @property {number | null} databasePid
 * @property {boolean} [isLimit] what the others are compared with
 * @property {boolean} [keepsMemory] how much memory it takes is looked at
 * @property {(seconds: number) => Promise<void>} [prepare] before a round, not measured
 * @property {(seconds: number) => Promise<Done>} go
 *
 * @typedef {{ workload: string, targets: readonly Target[] }} Workload
 *
 * @typedef {object} Place
 * @property {readonly Server[]} servers ours first
 * @property {string} scratch
 * @property {Options} options
 * @property {import('node:child_process').ChildProcess[]} children to be ended at the end
 * @property {(job: Partial<Job> & Pick<Job, 'host' | 'port' | 'head'>) => (seconds: number) => Promise<Done>} load
 */

const LOAD = new URL('./load.js', import.meta.url)
const LIFETIME_SECONDS = 86_400
const WARM_SECONDS = 2

/**
 * @param {readonly string[]} argv
 * @returns {Promise<number>} the exit code
 */
export async function bench(argv) {
  /** @type {Options | null} */
  let options
  try {
    options = readOptions(argv)
    if (options?.against) await mustAnswer(options.against.url)
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n\n${HELP}`)
    return 1
  }
  if (!options) {
    console.log(HELP)
    return 0
  }
  await unlessInterrupted(run(options))
  return 0
}

/** Told at once, and not after everything else was prepared. @param {string} url */
async function mustAnswer(url) {
  const answer = await fetch(url).catch((error) => {
    throw new Error(`Nothing answers at ${url}: start the server that is to be measured there.`, { cause: error })
  })
  await answer.arrayBuffer()
}

/** Somebody who interrupts is told so by an error, on whose way everything that was started is stopped. @param {Promise<void>} work */
async function unlessInterrupted(work) {
  const interrupted = new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`ended by ${signal}`)))
  })
  await Promise.race([work, interrupted])
}

/** @param {Options} options */
async function run(options) {
  const service = await startOwnService({ STOWAGE_LOG_LEVEL: 'warn' })
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = []
  try {
    const servers = [ourServer(service), ...(options.against ? [otherServer(options.against)] : [])]
    if (!/^storage/i.test(options.only))
      for (const { databaseUrl } of servers) if (databaseUrl) await loadGraphqlData(databaseUrl, options.short)
    const place = { servers, scratch: await mkdtemp(join(service.folder, 'bench-')), options, children, load: loader(options) }
    /** @type {Cell[]} */
    const cells = []
    const late = performance.now() + options.budgetSeconds * 1000
    /** @type {string[]} */
    const leftOut = []
    for (const workloads of [storageTargets(place), graphqlTargets(place)])
      for await (const workload of workloads) {
        if (performance.now() > late) leftOut.push(workload.workload)
        else cells.push(...(await measure(workload, options)))
      }
    const parts = [await describe(service.keys.databaseUrl, options), printTables(cells)]
    if ('cold start'.includes(options.only.toLowerCase())) parts.push(startLine(await coldStarts(options.short ? 1 : options.rounds)))
    if (options.growth) parts.push(await measureGrowth(options.short))
    if (leftOut.length > 0) parts.push(`Left out, since the time of a short run was over: ${leftOut.join('; ')}.`)
    const report = [...parts, NOTES].join('\n\n')
    console.log(`\n${report}`)
    if (options.write) await writeFile(new URL('./RESULTS.md', import.meta.url), `# Results of \`npm run bench\`\n\n${report}\n`)
  } finally {
    for (const child of children) child.kill()
    await service.stop()
  }
}

/**
 * @param {import('../demo/own-service.js').OwnService} service
 * @returns {Server}
 */
function ourServer({ keys, pid }) {
  const { hostname, port } = new URL(keys.baseUrl)
  return {
    name: 'Stowage',
    url: keys.baseUrl,
    storage: `${keys.baseUrl}/storage/v1`,
    host: hostname,
    port: Number(port),
    serviceKey: keys.serviceKey,
    anonKey: keys.anonKey,
    userToken: token({ role: 'authenticated', sub: SUBJECT }, keys.jwtSecret),
    tenantToken: token(CLAIMS, keys.jwtSecret),
    databaseUrl: keys.databaseUrl,
    pid: canMeasureCpu() ? pid : null,
    databasePid: canMeasureCpu() ? databaseOf(pid) : null,
  }
}

/**
 * Without the secret of its tokens it is asked by its service key, for which row security does not apply.
 * @param {NonNullable<Options['against']>} against
 * @returns {Server}
 */
function otherServer({ url, serviceKey, anonKey, databaseUrl, jwtSecret, pid }) {
  const { hostname, port, protocol, pathname } = new URL(url)
  const signed = (/** @type {object} */ claims) => (jwtSecret === null ? serviceKey : token(claims, jwtSecret))
  return {
    name: `the server at ${url}`,
    url,
    storage: pathname === '/' || pathname === '' ? `${url}/storage/v1` : url,
    host: hostname,
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    serviceKey,
    anonKey,
    userToken: signed({ role: 'authenticated', sub: SUBJECT }),
    tenantToken: signed(CLAIMS),
    databaseUrl,
    pid,
    databasePid: null,
  }
}

/**
 * @param {object} claims
 * @param {string} secret
 */
function token(claims, secret) {
  const encode = (/** @type {object} */ part) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + LIFETIME_SECONDS
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ aud: 'authenticated', exp, ...claims })}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/**
 * @param {Options} options
 * @returns {Place['load']}
 */
function loader({ connections }) {
  let first = 0
  return (job) => async (seconds) => {
    first += 1_000_000
    /** @type {Outcome} */
    const outcome = await askChild(LOAD, { bodies: [], times: 1, connections, first, seconds, ...job })
    if (outcome.failures > 0) throw new Error(`${outcome.failures} of ${outcome.requests} requests failed: ${outcome.firstFailure}`)
    return outcome
  }
}

/**
 * Rounds in turn: first target, second target, ..., first target again; so that what the machine does meanwhile meets all of them.
 * @param {Workload} workload
 * @param {Options} options
 * @returns {Promise<Cell[]>}
 */
async function measure({ workload, targets }, { rounds, seconds, short }) {
  /** @type {Cell[]} */
  const cells = targets.map(({ name, isLimit = false }) => ({ workload, target: name, isLimit, rounds: [] }))
  const one = async (/** @type {Target} */ target, /** @type {number} */ time) => {
    await target.prepare?.(time)
    const cost = () => [cpuOf(target.serverPid, false), cpuOf(target.databasePid, true)]
    const watched = target.keepsMemory ? target.serverPid : null
    if (watched) forgetPeak(watched)
    const before = cost()
    const done = await target.go(time)
    const after = cost()
    const [serverCpuMs = null, databaseCpuMs = null] = after.map((now, k) => {
      const then = before[k] ?? null
      return now === null || then === null ? null : ((now - then) * 1000) / done.requests
    })
    const peak = watched ? peakMiB(watched) : null
    return { rate: done.requests / done.seconds, serverCpuMs, databaseCpuMs, p99Ms: done.p99Ms ?? null, peakMiB: peak }
  }
  // long enough for what is called often to be compiled
  for (const target of targets) await one(target, short ? seconds : WARM_SECONDS)
  for (let round = 0; round < rounds; round++)
    for (const [i, target] of targets.entries()) {
      const result = await one(target, seconds)
      cells[i]?.rounds.push(result)
      console.log(`${workload} #${round + 1} ${target.name}: ${result.rate < 100 ? result.rate.toFixed(2) : Math.round(result.rate)}/s`)
    }
  return cells
}

/** @param {number | null} pid @param {boolean} withChildren */
const cpuOf = (pid, withChildren) => (pid !== null && canMeasureCpu() ? cpuSeconds(pid, { withChildren }) : null)

/** @param {readonly number[]} seconds */
function startLine(seconds) {
  const { min, median, max } = spread(seconds)
  return `Second start to the first object served, the built-in database included: ${min.toFixed(2)} / **${median.toFixed(2)}** / ${max.toFixed(2)} s.`
}

/**
 * @param {string} databaseUrl
 * @param {Options} options
 */
async function describe(databaseUrl, { rounds, seconds, connections, short }) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(`select current_setting('server_version') as version`)
  await client.end()
  const processors = cpus()
  const machine = `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`
  return `${new Date().toISOString().slice(0, 10)}; commit ${await commit()}; ${machine}; Node ${process.versions.node}; built-in PostgreSQL ${rows[0].version}, fsync on; ${connections} connections; ${rounds} interleaved rounds of ${seconds} s${short ? '; small data (--short)' : ''}.`
}

/** @returns {Promise<string>} */
const commit = () =>
  promisify(execFile)('git', ['describe', '--always', '--dirty'], { cwd: new URL('..', import.meta.url) }).then(
    ({ stdout }) => stdout.trim(),
    () => 'unknown',
  )

const NOTES = `Read the shares, not the rates: load, server and database share the machine, and its speed drifts. CPU-ms is processor time per request,
the server's process alone and the whole database, background writers included; the load's own is in neither. Method and limits: bench/README.md.`
