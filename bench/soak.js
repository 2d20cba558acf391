import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { freePort, isReady, keysOf } from '../demo/own-service.js'
import { seeded } from './seeded.js'
import { isFlat, slope } from './slope.js'

/**
 * @typedef {{ rss: number, heapUsed: number, external: number, handles: number, failed: number, faults: string[] }} Inside
 * @typedef {{ method: string, path: string, body?: Buffer, json?: boolean, key?: string, cutAfter?: number, mayAnswer?: readonly number[] }} Ask
 */

const STOWAGE = fileURLToPath(new URL('../bin/stowage.js', import.meta.url))
const PROBE = new URL('./soak-probe.js', import.meta.url).href
const MIB = 2 ** 20
const LANES = 16
const KEYS = 200
const SAMPLE_MS = 5_000
/** Of the time, at its beginning: caches fill, pools grow, the compiler warms up. */
const WARM_UP = 0.2
/** Of the calls to the disk. */
const DISK_FAULTS = 0.001
const BACKEND_KILLED_EVERY = 300
/** Of the requests, whoever was at fault. */
const MOST_FAILURES = 0.03

/**
 * What is sampled, and how much more of it is still flat.
 * @type {Readonly<Record<string, { share: number, least: number, unit: string, scale: number }>>}
 */
const SERIES = {
  'heap after a collection': { share: 0.05, least: MIB, unit: 'MiB', scale: MIB },
  'memory outside the heap': { share: 0.1, least: 2 * MIB, unit: 'MiB', scale: MIB },
  'resident memory': { share: 0.05, least: 4 * MIB, unit: 'MiB', scale: MIB },
  'open files and sockets': { share: 0.1, least: 4, unit: '', scale: 1 },
  'handles and timers': { share: 0.1, least: 4, unit: '', scale: 1 },
  'backends of PostgreSQL': { share: 0, least: 2, unit: '', scale: 1 },
  'bytes without a row': { share: 0, least: 10, unit: 'files', scale: 1 },
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function soak(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '20' },
      rate: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
    },
  })
  const [minutes, rate, seed] = [Number(values.minutes), Number(values.rate), Number(values.seed)]
  if (!(minutes > 0) || !(rate > 0) || !Number.isInteger(seed)) {
    console.error('soak: --minutes and --rate (requests a second) are numbers above 0, --seed is a whole number')
    return 2
  }
  const service = await startService()
  try {
    return await run(service, minutes * 60_000, rate, seed)
  } finally {
    await service.stop()
  }
}

async function startService() {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-soak-'))
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: String(port),
    STOWAGE_DATA: join(folder, 'data'),
    STOWAGE_LOG_LEVEL: 'error',
    STOWAGE_SWEEP_GRACE: '5s',
    STOWAGE_SWEEP_INTERVAL: '1s',
  }
  const child = spawn(process.execPath, ['--import', PROBE, STOWAGE, 'serve'], { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    await rm(folder, { recursive: true, force: true })
  }
  while (!(await isReady(`http://127.0.0.1:${port}`))) {
    if (child.exitCode !== null) throw new Error('The service did not start.')
    await sleep(100)
  }
  let id = 0
  const inside = (/** @type {number | undefined} */ failing = undefined) =>
    new Promise((/** @type {(inside: Inside) => void} */ resolve, reject) => {
      const mine = ++id
      const late = setTimeout(() => reject(new Error('the service did not answer its probe for 30 s')), 30_000)
      const hear = (/** @type {unknown} */ message) => {
        const said = /** @type {Inside & { id: number }} */ (message)
        if (said.id !== mine) return
        clearTimeout(late)
        child.off('message', hear)
        resolve(said)
      }
      child.on('message', hear)
      child.send({ id: mine, failing })
    })
  const keys = await keysOf(env)
  return { port, pid: child.pid ?? 0, keys, folder, inside, stop, hasEnded: () => child.exitCode !== null || child.signalCode !== null }
}

/** @typedef {Awaited<ReturnType<typeof startService>>} Soaked */

/**
 * @param {Soaked} service
 * @param {number} ms
 * @param {number} rate
 * @param {number} seed
 */
async function run(service, ms, rate, seed) {
  const db = new pg.Client({ connectionString: service.keys.databaseUrl })
  db.on('error', () => undefined)
  await db.connect()
  await db.query(`create table public.entry (id int primary key, text text not null);
    insert into public.entry select i, 'entry ' || i from generate_series(1, 1000) i;
    grant select, update on public.entry to anon, authenticated, service_role`)
  const agent = new Agent({ keepAlive: true, maxSockets: LANES })
  const random = seeded(seed)
  const say = (/** @type {Ask} */ ask) => send(agent, service, ask)
  await say({ method: 'POST', path: '/bucket', body: Buffer.from('{"name":"soak","public":true}'), json: true })
  for (let i = 0; i < KEYS; i++) await say({ method: 'PUT', path: `/object/soak/${i}`, body: randomBytes(65_536) })
  await service.inside(DISK_FAULTS)

  /** @type {Map<string, number>} */
  const answers = new Map()
  /** @type {string[]} */
  const wrong = []
  let asked = 0
  let killed = 0
  const began = performance.now()
  const isOver = () => performance.now() - began > ms || service.hasEnded()

  const lane = async (/** @type {number} */ n) => {
    for (let i = 0; !isOver(); i++) {
      const due = began + (i * 1000 * LANES) / rate + (n * 1000) / rate
      await sleep(Math.max(0, due - performance.now()))
      const ask = nextAsk(random)
      const answer = await say(ask)
      asked++
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      const allowed = ['200', '500 StoreBroken', '503', 'cut', ...(ask.mayAnswer ?? []).map(String)]
      if (!allowed.includes(answer) && wrong.length < 20) wrong.push(`${ask.method} ${ask.path}: ${answer}`)
      if (asked % BACKEND_KILLED_EVERY === 0) {
        killed++
        await db.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where usename in ('stowage_web', 'stowage_service') order by random() limit 1`,
        )
      }
    }
  }

  /** @type {Record<string, [number, number][]>} */
  const samples = Object.fromEntries(Object.keys(SERIES).map((name) => [name, []]))
  let worst = /** @type {Inside | null} */ (null)
  const watch = async () => {
    while (!isOver()) {
      await sleep(SAMPLE_MS)
      if (service.hasEnded()) return
      const inside = await service.inside()
      worst = inside
      const at = (performance.now() - began) / 1000
      /** @type {Record<string, number>} */
      const now = {
        'heap after a collection': inside.heapUsed,
        'memory outside the heap': inside.external,
        'resident memory': inside.rss,
        'open files and sockets': (await readdir(`/proc/${service.pid}/fd`).catch(() => [])).length,
        'handles and timers': inside.handles,
        'backends of PostgreSQL': await count(db, `select count(*)::int as n from pg_stat_activity where usename like 'stowage%'`),
        'bytes without a row': await strays(service, db),
      }
      for (const [name, points] of Object.entries(samples)) points.push([at, now[name] ?? 0])
      if (points(samples) % 12 === 0) console.log(`${Math.round(at)} s: ${asked} requests, resident ${Math.round(inside.rss / MIB)} MiB`)
    }
  }
  await Promise.all([...Array.from({ length: LANES }, (_, n) => lane(n)), watch()])
  const seconds = (performance.now() - began) / 1000
  await service.inside(0)
  agent.destroy()
  const left = await settled(async () => (await strays(service, db)) === 0)
  await db.end()

  const shown = [...answers].sort(([a], [b]) => a.localeCompare(b)).map(([answer, n]) => `${answer} ${n}`)
  console.log(`\n${asked} requests in ${Math.round(seconds)} s (${(asked / seconds).toFixed(0)}/s), seed ${seed}: ${shown.join(', ')}`)
  console.log(`faults: ${worst?.failed ?? 0} calls of the disk failed, ${killed} backends killed, and what clients did wrong\n`)
  const flat = report(samples, seconds)
  const failures = asked - (answers.get('200') ?? 0) - (answers.get('400') ?? 0)
  const problems = [
    ...(service.hasEnded() ? ['the service ended'] : []),
    ...(worst?.faults ?? []),
    ...wrong,
    ...(failures > asked * MOST_FAILURES ? [`${failures} of ${asked} requests came to nothing`] : []),
    ...(left ? [] : ['bytes without a row were left']),
    ...flat,
  ]
  for (const problem of problems) console.log(`NOT RIGHT: ${problem}`)
  console.log(problems.length === 0 ? 'verdict: flat' : 'verdict: not flat')
  return problems.length === 0 ? 0 : 1
}

const points = (/** @type {Record<string, unknown[]>} */ samples) => Object.values(samples)[0]?.length ?? 0

/**
 * @param {Record<string, [number, number][]>} samples
 * @param {number} seconds
 * @returns {readonly string[]} what grew
 */
function report(samples, seconds) {
  const grew = []
  console.log(`| | at first | at last | slope an hour | |\n|---|---|---|---|---|`)
  for (const [name, all] of Object.entries(samples)) {
    const { unit, scale, ...allowed } = SERIES[name] ?? { unit: '', scale: 1, share: 0, least: 0 }
    const settled = all.filter(([at]) => at > seconds * WARM_UP)
    if (settled.length < 4) return ['too few samples: let it run for longer']
    const { perHour, error } = slope(settled)
    const flat = isFlat(settled, allowed)
    if (!flat) grew.push(`${name} grew`)
    const of = (/** @type {number} */ value) => `${(value / scale).toFixed(1)} ${unit}`.trim()
    const [first = 0, last = 0] = [settled[0]?.[1], settled.at(-1)?.[1]]
    console.log(`| ${name} | ${of(first)} | ${of(last)} | ${of(perHour)} ± ${of(2 * error)} | ${flat ? 'flat' : 'GREW'} |`)
  }
  console.log('')
  return grew
}

/**
 * @param {() => number} random
 * @returns {Ask}
 */
function nextAsk(random) {
  const key = Math.floor(random() * KEYS)
  const json = (/** @type {unknown} */ value) => ({ body: Buffer.from(JSON.stringify(value)), json: true })
  const dice = random()
  // what clients do wrong: half of it is leaving
  if (dice < 0.0025)
    return { method: 'PUT', path: `/object/soak/${key}`, body: randomBytes(262_144), cutAfter: Math.floor(random() * 262_144) }
  if (dice < 0.005) return { method: 'GET', path: `/object/public/soak/${key}`, cutAfter: Math.floor(random() * 65_536) }
  if (dice < 0.0075) return { method: 'GET', path: '/object/soak/nothing', mayAnswer: [400] }
  if (dice < 0.01) return { method: 'GET', path: `/object/soak/${key}`, key: 'no.such.token', mayAnswer: [400] }
  if (dice < 0.5) return { method: 'GET', path: `/object/public/soak/${key}` }
  if (dice < 0.65) return { method: 'PUT', path: `/object/soak/${key}`, body: randomBytes(65_536) }
  if (dice < 0.75) return { method: 'POST', path: '/object/list/soak', ...json({ prefix: '', limit: 100 }) }
  if (dice < 0.8) {
    return {
      method: 'POST',
      path: '/object/copy',
      ...json({ bucketId: 'soak', sourceKey: String(key), destinationKey: `copy-${key}` }),
      mayAnswer: [400],
    }
  }
  if (dice < 0.85) return { method: 'DELETE', path: `/object/soak/copy-${key}`, mayAnswer: [400] }
  if (dice < 0.95) {
    const query = `query Page($after: Int!) { entryCollection(first: 20, filter: {id: {gt: $after}}) { edges { node { id text } } pageInfo { hasNextPage } } }`
    return { method: 'POST', path: '/graphql/v1', ...json({ query, variables: { after: key } }) }
  }
  const query = `mutation Change($id: Int!, $text: String!) { updateentryCollection(filter: {id: {eq: $id}}, set: {text: $text}) { affectedCount } }`
  return { method: 'POST', path: '/graphql/v1', ...json({ query, variables: { id: key + 1, text: `changed ${random()}` } }) }
}

/**
 * @param {Agent} agent
 * @param {Soaked} service
 * @param {Ask} ask
 * @returns {Promise<string>} the status; of a 500 with its code; `cut` when the answer or the connection broke off
 */
function send(agent, { port, keys }, { method, path, body, json = false, key = keys.serviceKey, cutAfter }) {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      apikey: key,
      ...(body ? { 'content-length': body.length } : {}),
      ...(json ? { 'content-type': 'application/json' } : {}),
    }
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent, timeout: 60_000 }, (answer) => {
      let seen = 0
      /** @type {Buffer[]} */
      const said = []
      answer.on('data', (/** @type {Buffer} */ piece) => {
        seen += piece.length
        if (answer.statusCode === 500) said.push(piece)
        if (cutAfter !== undefined && !body && seen >= cutAfter) answer.destroy()
      })
      answer.on('error', () => resolve('cut'))
      answer.on('close', () => resolve('cut'))
      answer.on('end', () => {
        const code = /"code":"(\w+)"/.exec(Buffer.concat(said).toString())?.[1]
        resolve(code ? `500 ${code}` : String(answer.statusCode))
      })
    })
    asked.on('error', () => resolve('cut'))
    asked.on('timeout', () => asked.destroy(new Error('no answer for a minute')))
    if (body && cutAfter !== undefined) {
      asked.write(body.subarray(0, cutAfter), () => asked.destroy())
    } else asked.end(body)
  })
}

/** @param {pg.Client} db @param {string} text */
const count = async (db, text) => Number((await db.query(text)).rows[0]?.n)

/** Files beyond the objects: those of uploads under way and of deletions that are not swept yet are among them. */
async function strays(/** @type {Soaked} */ { folder }, /** @type {pg.Client} */ db) {
  const names = await readdir(join(folder, 'data/bytes'), { recursive: true })
  const files = names.filter((name) => /[0-9a-f-]{36}$/.test(name)).length
  return (
    files -
    (await count(db, 'select count(*)::int as n from storage.objects')) -
    (await count(db, 'select count(*)::int as n from stowage.outbox'))
  )
}

/** @param {() => Promise<boolean>} what */
async function settled(what) {
  for (let tries = 0; tries < 60; tries++) {
    if (await what()) return true
    await sleep(500)
  }
  return false
}
