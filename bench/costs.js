// `node bench/costs.js [--seconds 4] [--write]`: processor time of one request of each kind, of the service's process and of the whole database
// server, once both are warm. Processor time drifts less than rates do when others use the machine; still, measure on a quiet one.
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { loadMusicShop } from '../demo/music-shop.js'
import { startOwnService } from '../demo/own-service.js'
import { askChild } from './child.js'
import { FILE_BYTES, QUESTIONS } from './cost-questions.js'
import { cpuSeconds, databaseOf } from './cpu.js'

/**
 * @typedef {import('../demo/own-service.js').Keys} Keys
 * @typedef {{ name: string, storePuts: number, storeGets: number, lines: readonly string[], body: Buffer }} Kind
 */

const LOAD = new URL('./load.js', import.meta.url)
const BUCKET = 'costs'
const CONNECTIONS = 8
const LISTED = 100

/**
 * What is asked, and how many calls it would make to a store on S3.
 * @param {Keys} keys
 * @returns {readonly Kind[]}
 */
function kinds({ anonKey, serviceKey }) {
  const file = randomBytes(FILE_BYTES)
  const authorization = `Authorization: Bearer ${serviceKey}`
  const json = 'Content-Type: application/json'
  const listing = Buffer.from(JSON.stringify({ prefix: 'folder/', limit: LISTED }))
  const nothing = Buffer.alloc(0)
  const object = `/storage/v1/object`
  const asked = QUESTIONS.map(({ name, query, variables }) => ({
    name,
    storePuts: 0,
    storeGets: 0,
    lines: ['POST /graphql/v1 HTTP/1.1', `apikey: ${anonKey}`, json],
    body: Buffer.from(JSON.stringify({ query, variables })),
  }))
  return [
    { name: 'read 4 KiB, public', storePuts: 0, storeGets: 1, lines: [`GET ${object}/public/${BUCKET}/folder/0 HTTP/1.1`], body: nothing },
    {
      name: 'read 4 KiB, as a caller',
      storePuts: 0,
      storeGets: 1,
      lines: [`GET ${object}/authenticated/${BUCKET}/folder/0 HTTP/1.1`, authorization],
      body: nothing,
    },
    {
      name: 'upload 4 KiB, on disk when answered',
      storePuts: 1,
      storeGets: 0,
      lines: [`POST ${object}/${BUCKET}/new/{n} HTTP/1.1`, authorization, 'Content-Type: application/octet-stream'],
      body: file,
    },
    {
      name: `list ${LISTED} of a folder`,
      storePuts: 0,
      storeGets: 0,
      lines: [`POST ${object}/list/${BUCKET} HTTP/1.1`, authorization, json],
      body: listing,
    },
    ...asked,
  ]
}

/** @param {Keys} keys */
async function prepareData({ baseUrl, databaseUrl, serviceKey }) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await loadMusicShop(client)
  await client.query('analyze')
  await client.end()
  const send = async (/** @type {string} */ path, /** @type {string} */ type, /** @type {string | Buffer} */ body) => {
    const headers = { authorization: `Bearer ${serviceKey}`, 'content-type': type }
    const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${path} was refused: ${await answer.text()}`)
  }
  await send('/bucket', 'application/json', JSON.stringify({ name: BUCKET, public: true }))
  for (let n = 0; n < LISTED; n++) await send(`/object/${BUCKET}/folder/${n}`, 'application/octet-stream', randomBytes(FILE_BYTES))
}

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '4' }, write: { type: 'boolean' } } })
const seconds = Number(values.seconds)
if (!(seconds >= 1 && seconds <= 600)) throw new Error(`--seconds takes a number from 1 to 600, not ${values.seconds}`)
const service = await startOwnService({ STOWAGE_LOG_LEVEL: 'warn' })
try {
  await prepareData(service.keys)
  const port = Number(new URL(service.keys.baseUrl).port)
  const database = databaseOf(service.pid)
  if (database === null) throw new Error('this system does not tell what its processes cost')
  const used = () => [cpuSeconds(service.pid, { withChildren: false }), cpuSeconds(database, { withChildren: true })]
  const requests = []
  for (const [i, { name, storePuts, storeGets, lines, body }] of kinds(service.keys).entries()) {
    const [first = '', ...headers] = lines
    const head = [first, `Host: 127.0.0.1:${port}`, ...headers, ...(body.length > 0 ? [`Content-Length: ${body.length}`] : [])].join('\r\n')
    const bodies = body.length > 0 ? [body.toString('base64')] : []
    const ask = (/** @type {number} */ round) => {
      /** @type {import('./load.js').Job} */
      const job = { host: '127.0.0.1', port, connections: CONNECTIONS, seconds, head, bodies, times: 1, first: i * 1e8 + round * 1e7 }
      return askChild(LOAD, job)
    }
    await ask(0)
    const [serviceBefore = 0, databaseBefore = 0] = used()
    /** @type {import('./load.js').Outcome} */
    const outcome = await ask(1)
    const [serviceAfter = 0, databaseAfter = 0] = used()
    if (outcome.failures > 0) throw new Error(`${name}: ${outcome.failures} failed: ${outcome.firstFailure}`)
    const perRequest = (/** @type {number} */ spent) => Math.round((spent * 1e6) / outcome.requests) / 1_000
    requests.push({
      name,
      serviceMs: perRequest(serviceAfter - serviceBefore),
      databaseMs: perRequest(databaseAfter - databaseBefore),
      storePuts,
      storeGets,
    })
    console.error(name, requests.at(-1), `${Math.round(outcome.requests / outcome.seconds)}/s`)
  }
  const text = `${JSON.stringify({ machine: `${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`, requests }, null, 2)}\n`
  if (values.write) await writeFile(new URL('./costs.json', import.meta.url), text)
  else console.log(text)
} finally {
  await service.stop()
}
