import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { startOwnService } from '../demo/own-service.js'
import { documentOf } from './graphql-questions.js'
import { loadGraphqlData } from './graphql-workloads.js'
import { fillList } from './storage-workloads.js'
import { spread } from './table.js'

/** @typedef {import('../demo/own-service.js').OwnService} OwnService */

const SHORT = { tables: 500, roles: 100, documents: 1_000, objects: [1_000, 10_000] }
const FULL = { tables: 10_000, roles: 1_000, documents: 100_000, objects: [1_000, 10_000, 100_000, 1_000_000] }
const SAMPLES = 60
const SETTINGS = { STOWAGE_LOG_LEVEL: 'warn' }

/**
 * What becomes of memory and latency as things grow, as Markdown. Memory is what the service's process holds (proc(5), VmRSS).
 * @param {boolean} short
 */
export async function measureGrowth(short) {
  const size = short ? SHORT : FULL
  const roles = Array.from({ length: size.roles }, (_, i) => `bench_role_${i}`)
  const service = await startWithRoles(roles)
  const client = new pg.Client({ connectionString: service.keys.databaseUrl })
  await client.connect()
  try {
    await loadGraphqlData(service.keys.databaseUrl, true)
    await client.query('grant select on wide to anon; create policy anon_too on wide for select to anon using (true)')
    const rows = [['', 'first answer, ms', 'then, ms (median / most)', 'service, MiB', 'database connections, MiB']]
    const row = async (/** @type {string} */ what, /** @type {(i: number) => Promise<void>} */ ask) => {
      const first = await timed(() => ask(0))
      const then = []
      for (let i = 1; i <= SAMPLES; i++) then.push(await timed(() => ask(i)))
      const { median, max } = spread(then)
      rows.push([what, first.toFixed(0), `${median.toFixed(1)} / ${max.toFixed(1)}`, rss(service.pid), await connectionMemory(client)])
      console.log(rows.at(-1)?.join(' · '))
    }
    const one = (/** @type {number} */ i) => askGraphql(service, documentOf(0), service.keys.anonKey, i)
    await row('9 tables', one)
    for (let made = 0; made < size.tables; made += 500) await client.query(tables(made, Math.min(made + 500, size.tables)))
    await row(`${size.tables.toLocaleString('en')} tables more`, one)
    await row('the same, another role each time', (i) => askGraphql(service, documentOf(0), tokenOf(service, roles[i] ?? ''), i))
    for (const [i, role] of roles.entries()) await askGraphql(service, documentOf(0), tokenOf(service, role), i)
    await row(`after ${size.roles.toLocaleString('en')} roles have asked`, one)

    for (let i = 0; i < size.documents; i++)
      await askGraphql(service, documentOf(i).replace('Document', `Other${i}Document`), service.keys.anonKey, i)
    await row(`after ${size.documents.toLocaleString('en')} different documents`, one)

    for (const n of size.objects) {
      await fillList(client, n)
      await client.query('vacuum analyze storage.objects')
      for (const [title, prefix, offset] of /** @type {const} */ ([
        ['first page', 'flat/', 0],
        ['offset at half', 'flat/', n / 2],
        ['folders', 'tree/', 0],
      ]))
        await row(`listing of ${n.toLocaleString('en')} objects, ${title}`, () => list(service, n, prefix, offset))
    }
    return table(rows)
  } finally {
    await client.end()
    await service.stop()
  }
}

/** A service does not start with roles that the database does not have. @param {readonly string[]} roles */
async function startWithRoles(roles) {
  const service = await startOwnService(SETTINGS)
  const client = new pg.Client({ connectionString: service.keys.databaseUrl })
  await client.connect()
  for (const role of roles) await client.query(`create role ${role} in role anon; grant ${role} to stowage_web`)
  await client.end()
  return service.again({ ...SETTINGS, STOWAGE_ROLES: roles.join(',') })
}

/** @param {() => Promise<void>} work */
async function timed(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/**
 * @param {OwnService} service
 * @param {string} query
 * @param {string} token
 * @param {number} i
 */
async function askGraphql({ keys }, query, token, i) {
  const headers = { 'content-type': 'application/json', apikey: keys.anonKey, authorization: `Bearer ${token}` }
  const body = JSON.stringify({ query, variables: { batch: i % 20 } })
  const answer = /** @type {{ data?: object | null }} */ (
    await (await fetch(`${keys.baseUrl}/graphql/v1`, { method: 'POST', headers, body })).json()
  )
  if (!answer.data) throw new Error(`a question was refused: ${JSON.stringify(answer).slice(0, 300)}`)
}

/**
 * @param {OwnService} service
 * @param {number} n
 * @param {string} prefix
 * @param {number} offset
 */
async function list({ keys }, n, prefix, offset) {
  const headers = { authorization: `Bearer ${keys.serviceKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ prefix, limit: 100, offset, sortBy: { column: 'name', order: 'asc' } })
  const answer = await (await fetch(`${keys.baseUrl}/object/list/bench-list-${n}`, { method: 'POST', headers, body })).json()
  if (!Array.isArray(answer) || answer.length === 0) throw new Error(`a listing was refused: ${JSON.stringify(answer).slice(0, 300)}`)
}

/** @param {OwnService} service @param {string} role */
function tokenOf({ keys }, role) {
  const encode = (/** @type {object} */ part) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ role })}`
  return `${text}.${createHmac('sha256', keys.jwtSecret).update(text).digest('base64url')}`
}

/** Tables that anon may read, each with a foreign key to the one before it. @param {number} from @param {number} to */
const tables = (from, to) =>
  Array.from({ length: to - from }, (_, i) => from + i)
    .map(
      (i) =>
        `create table many_${i} (id int primary key, label text, before int ${i > 0 ? `references many_${i - 1}` : ''}); grant select on many_${i} to anon;`,
    )
    .join('\n')

/** @param {number} pid */
function rss(pid) {
  try {
    return (Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024).toFixed(0)
  } catch {
    return ''
  }
}

/** What the service's connections hold of their own, by proc(5): Pss leaves out the share of what all processes have together. @param {pg.Client} client */
async function connectionMemory(client) {
  const { rows } = await client.query(`select pid from pg_stat_activity where application_name like 'stowage %'`)
  let kib = 0
  try {
    for (const { pid } of rows) kib += Number(/^Pss_Anon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1])
    return (kib / 1024).toFixed(0)
  } catch {
    return ''
  }
}

/** @param {readonly (readonly string[])[]} rows */
function table([head = [], ...rows]) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`, ...rows.map(line)].join('\n')
}
