import { deepStrictEqual } from 'node:assert'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { loadMusicShop } from '../demo/music-shop.js'
import { startOwnService } from '../demo/own-service.js'
import { askChild, startChild } from './child.js'
import { canMeasureCpu, cpuSeconds, databaseOf } from './cpu.js'
import { findSqlLimit } from './sql-limit.js'
import { statementOf } from './statement-of.js'
import { printTables } from './table.js'
import { FILE_BYTES, QUESTIONS } from './workloads.js'

/**
 * @typedef {import('./table.js').Cell} Cell
 * @typedef {import('./load.js').Outcome} Outcome
 * @typedef {{ requests: number, seconds: number, p99Ms?: number }} Done
 * @typedef {{ name: string, serverPid: number | null, go: (seconds: number) => Promise<Done> }} Target
 * @typedef {{ rounds: number, seconds: number, connections: number, only: string, write: boolean }} Options
 */

const LOAD = new URL('./load.js', import.meta.url)
const ROLE = 'anon'
const BUCKET = 'bench'

/**
 * @param {readonly string[]} argv
 * @returns {Promise<number>} the exit code
 */
export async function bench(argv) {
  const options = readOptions(argv)
  const service = await startOwnService({ STOWAGE_LOG_LEVEL: 'warn' })
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = []
  try {
    await loadData(service.keys.databaseUrl)
    const databasePid = canMeasureCpu() ? databaseOf(service.pid) : null
    /** @type {Cell[]} */
    const cells = []
    const about = [await describe(service.keys.databaseUrl, options)]
    for await (const { workload, targets } of workloads(service, children, options)) {
      if (!workload.toLowerCase().includes(options.only.toLowerCase())) continue
      cells.push(...(await measure(workload, targets, databasePid, options)))
    }
    const report = [...about, printTables(cells), notes()].join('\n\n')
    console.log(`\n${report}`)
    if (options.write) await writeFile(new URL('./RESULTS.md', import.meta.url), `# Results of \`npm run bench\`\n\n${report}\n`)
    return 0
  } finally {
    for (const child of children) child.kill()
    await service.stop()
  }
}

/**
 * @param {readonly string[]} argv
 * @returns {Options}
 */
function readOptions(argv) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '1' },
      connections: { type: 'string', default: '8' },
      only: { type: 'string', default: '' },
      write: { type: 'boolean', default: false },
    },
  })
  const number = (/** @type {string} */ name, /** @type {string} */ text) => {
    const n = Number(text)
    if (!Number.isInteger(n) || n < 1 || n > 1000) throw new Error(`--${name} takes a whole number from 1 to 1000, not ${text}`)
    return n
  }
  return {
    rounds: number('rounds', values.rounds),
    seconds: number('seconds', values.seconds),
    connections: number('connections', values.connections),
    only: values.only,
    write: values.write,
  }
}

/** @param {string} databaseUrl */
async function loadData(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await loadMusicShop(client)
  await client.query('analyze')
  await client.end()
}

/**
 * Each workload with its targets, the limit first. Answers are compared before anything is timed.
 * @param {import('../demo/own-service.js').OwnService} service
 * @param {import('node:child_process').ChildProcess[]} children
 * @param {Options} options
 */
async function* workloads(service, children, options) {
  const { keys } = service
  const port = Number(new URL(keys.baseUrl).port)
  const scratch = await mkdtemp(join(service.folder, 'bench-'))
  const load = (/** @type {Partial<import('./load.js').Job> & { head: string }} */ job) => async (/** @type {number} */ seconds) => {
    /** @type {Outcome} */
    const outcome = await askChild(LOAD, { body: '', first: 0, port, connections: options.connections, seconds, ...job })
    if (outcome.failures > 0) throw new Error(`${outcome.failures} of ${outcome.requests} requests failed: ${outcome.firstFailure}`)
    return outcome
  }

  const sqlLimit = await findSqlLimit({ databaseUrl: keys.databaseUrl, role: ROLE, folder: scratch })
  const questions = []
  for (const question of QUESTIONS) {
    const { statement, answer } = await statementOf(keys.databaseUrl, ROLE, question)
    questions.push({ ...question, statement, answer, body: JSON.stringify({ query: question.query, variables: question.variables }) })
  }
  const bare = await startChild(new URL('./bare-graphql.js', import.meta.url), { databaseUrl: keys.databaseUrl, role: ROLE, questions })
  children.push(bare.child)
  for (const { name, statement, answer, body } of questions) {
    const headers = { 'content-type': 'application/json', apikey: keys.anonKey }
    const asked = await fetch(`${keys.baseUrl}/graphql/v1`, { method: 'POST', headers, body })
    deepStrictEqual(await asked.json(), JSON.parse(answer), `${name}: the service and the library differ`)
    const bareAnswer = await fetch(`http://127.0.0.1:${bare.answer.port}`, { method: 'POST', body })
    if (!answer.includes(await bareAnswer.text())) throw new Error(`${name}: the bare server gives something else`)
    const head = (/** @type {number} */ to, /** @type {string} */ extra) =>
      `POST /graphql/v1 HTTP/1.1\r\nHost: 127.0.0.1:${to}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}${extra}`
    const encoded = Buffer.from(body).toString('base64')
    yield {
      workload: name,
      /** @type {Target[]} */
      targets: [
        {
          name: sqlLimit.name,
          serverPid: null,
          go: (seconds) => sqlLimit.run(statement, { connections: options.connections, seconds }),
        },
        {
          name: 'same SQL, bare node:http + pg',
          serverPid: bare.child.pid ?? null,
          go: load({ port: bare.answer.port, head: head(bare.answer.port, ''), body: encoded }),
        },
        { name: 'Stowage', serverPid: service.pid, go: load({ head: head(port, `\r\napikey: ${keys.anonKey}`), body: encoded }) },
      ],
    }
  }

  const bareFolder = join(scratch, 'files')
  await mkdir(bareFolder)
  const files = await startChild(new URL('./bare-files.js', import.meta.url), { folder: bareFolder })
  children.push(files.child)
  const bytes = randomBytes(FILE_BYTES)
  const sendTo = (/** @type {string} */ base, /** @type {string} */ name) =>
    fetch(`${base}/storage/v1/object/${BUCKET}/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.serviceKey}`, 'content-type': 'application/octet-stream' },
      body: bytes,
    })
  const made = await fetch(`${keys.baseUrl}/storage/v1/bucket`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.serviceKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: BUCKET, name: BUCKET, public: true }),
  })
  if (!made.ok) throw new Error(`the bucket was refused: ${await made.text()}`)
  const bareUrl = `http://127.0.0.1:${files.answer.port}`
  for (const base of [keys.baseUrl, bareUrl]) {
    const stored = await sendTo(base, 'same')
    if (!stored.ok) throw new Error(`the upload was refused: ${await stored.text()}`)
    const came = await fetch(`${base}/storage/v1/object/public/${BUCKET}/same`)
    if (!Buffer.from(await came.arrayBuffer()).equals(bytes)) throw new Error(`${base} gave other bytes than were stored`)
  }
  const body = bytes.toString('base64')
  const targets = (/** @type {(port: number) => Omit<Partial<import('./load.js').Job>, 'port'> & { head: string }} */ job) => [
    {
      name: 'bare node:http file server',
      serverPid: files.child.pid ?? null,
      go: load({ port: files.answer.port, ...job(files.answer.port) }),
    },
    { name: 'Stowage', serverPid: service.pid, go: load(job(port)) },
  ]
  yield {
    workload: 'Storage: GET 4 KiB, public',
    targets: targets((to) => ({ head: `GET /storage/v1/object/public/${BUCKET}/same HTTP/1.1\r\nHost: 127.0.0.1:${to}` })),
  }
  yield {
    workload: 'Storage: GET 4 KiB, authenticated',
    targets: targets((to) => ({
      head: `GET /storage/v1/object/authenticated/${BUCKET}/same HTTP/1.1\r\nHost: 127.0.0.1:${to}\r\nAuthorization: Bearer ${keys.serviceKey}`,
    })),
  }
  let first = 0
  yield {
    workload: 'Storage: upload 4 KiB, on disk when answered',
    targets: targets((to) => ({
      get first() {
        first += 1_000_000
        return first
      },
      head: `POST /storage/v1/object/${BUCKET}/n{n} HTTP/1.1\r\nHost: 127.0.0.1:${to}\r\nAuthorization: Bearer ${keys.serviceKey}\r\nContent-Type: application/octet-stream\r\nContent-Length: ${FILE_BYTES}`,
      body,
    })),
  }
}

/**
 * Rounds in turn: first target, second target, ..., first target again; so that what the machine does meanwhile meets all of them.
 * @param {string} workload
 * @param {readonly Target[]} targets
 * @param {number | null} databasePid
 * @param {Options} options
 * @returns {Promise<Cell[]>}
 */
async function measure(workload, targets, databasePid, { rounds, seconds }) {
  /** @type {Cell[]} */
  const cells = targets.map(({ name }) => ({ workload, target: name, rounds: [] }))
  for (const target of targets) await target.go(1)
  for (let round = 0; round < rounds; round++) {
    for (const [i, target] of targets.entries()) {
      const server = () => (target.serverPid && canMeasureCpu() ? cpuSeconds(target.serverPid, { withChildren: false }) : null)
      const database = () => (databasePid ? cpuSeconds(databasePid, { withChildren: true }) : null)
      const before = [server(), database()]
      const done = await target.go(seconds)
      const after = [server(), database()]
      const [serverCpuMs = null, databaseCpuMs = null] = after.map((now, k) => {
        const then = before[k] ?? null
        return now === null || then === null ? null : ((now - then) * 1000) / done.requests
      })
      const rate = done.requests / done.seconds
      cells[i]?.rounds.push({ rate, serverCpuMs, databaseCpuMs, p99Ms: done.p99Ms ?? null })
      console.log(`${workload} #${round + 1} ${target.name}: ${Math.round(rate)}/s`)
    }
  }
  return cells
}

/**
 * @param {string} databaseUrl
 * @param {Options} options
 */
async function describe(databaseUrl, { rounds, seconds, connections }) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(`select current_setting('server_version') as version`)
  await client.end()
  const processors = cpus()
  return `${new Date().toISOString().slice(0, 10)}; ${processors.length} x ${processors[0]?.model.trim() ?? 'unknown processor'}; Node ${process.versions.node}; built-in PostgreSQL ${rows[0].version}, fsync on; ${connections} connections; ${rounds} interleaved rounds of ${seconds} s.`
}

const notes = () =>
  `Read the shares, not the rates: load, server and database share the machine, and its speed drifts. CPU-ms is processor time per request,
the server's process alone and the whole database, background writers included; the load's own is in neither. Method and limits: bench/README.md.`
