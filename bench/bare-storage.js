// The least a Node service can do for stored files: node:http in, who may in one packet to PostgreSQL (role, claims, statement, one Sync), then
// the file. Uploads ask nobody: they are written, synced, renamed, and the folder is synced, before the answer.
import { createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import pg from 'pg'
import { OneSync, scopeOf } from './one-sync.js'

/**
 * @typedef {import('./one-sync.js').Statement} Statement
 * @typedef {{ folder: string, databaseUrl: string, claims: { role: string, sub: string } }} Job
 */

/** As many folders as the service spreads its files over, so that neither waits for the lock of one. */
const FOLDERS = 256
const WHOLE_READ = 64 * 1024
const STREAM_CHUNK = 256 * 1024
const CONNECTIONS = 10

const COLUMNS = `o.id, o.version, o.metadata ->> 'mimetype', o.metadata ->> 'size', o.metadata ->> 'eTag', o.metadata ->> 'lastModified'`
const OF_PUBLIC = `select b.public, ${COLUMNS} from storage.buckets b left join storage.objects o on o.bucket_id = b.id and o.name = $2 where b.id = $1`
const OF_CALLER = `select true, ${COLUMNS} from storage.objects o where o.bucket_id = $1 and o.name = $2`
const VISIBLE = `select o.name from storage.objects o where o.bucket_id = $1 and o.name = any ($2)`
const ENTRY = `'{"name":' || to_json(substr(name, $3))::text || ',"id":"' || id || '","updated_at":' || to_json(updated_at)::text || ',"created_at":' || to_json(created_at)::text || ',"last_accessed_at":' || to_json(last_accessed_at)::text || ',"metadata":' || metadata::text || '}'`
const PAGE = `select '[' || coalesce(string_agg(${ENTRY}, ','), '') || ']' from (
  select * from storage.objects where bucket_id = $1 and lower(name) collate "C" >= lower($2) || lpad($4, 7, '0') order by lower(name) collate "C" limit 100) page`

process.once('message', async (/** @type {Job} */ { folder, databaseUrl, claims }) => {
  for (let i = 0; i < FOLDERS; i++) await mkdir(join(folder, String(i)), { recursive: true })
  const [asService, asCaller] = [scopeOf({ role: 'service_role' }), scopeOf(claims)]
  const ask = await openPool(databaseUrl)
  const placeOf = (/** @type {string} */ key) =>
    join(folder, String(Number(key.replaceAll(/\D/g, '') || 0) % FOLDERS), key.replaceAll('/', '_'))

  const server = createServer(async (request, response) => {
    try {
      const [, what = '', bucket = '', ...rest] = (request.url ?? '').split('/')
      const key = rest.join('/')
      switch (what) {
        case 'public':
        case 'caller': {
          const [scope, text] = what === 'public' ? [asService, OF_PUBLIC] : [asCaller, OF_CALLER]
          const row = await ask(scope, { name: what, text, values: [bucket, key] })
          if (row?.[1] == null) return response.writeHead(404, { 'content-length': 0 }).end()
          const [, , , type, size, etag, modified] = row
          const headers = { 'content-type': type ?? '', etag: etag ?? '', 'last-modified': new Date(modified ?? 0).toUTCString() }
          if (request.headers['if-none-match'] === etag) return response.writeHead(304, headers).end()
          response.writeHead(200, { ...headers, 'content-length': Number(size) })
          if (Number(size) <= WHOLE_READ) return response.end(await readFile(placeOf(key)))
          return pipeline(createReadStream(placeOf(key), { highWaterMark: STREAM_CHUNK }), response, () => undefined)
        }
        case 'sign': {
          const { expiresIn, paths } = JSON.parse(await textOf(request))
          const keys = paths ?? [key]
          const rows = await ask(asCaller, {
            name: 'visible',
            text: VISIBLE,
            values: [bucket, `{${keys.map((/** @type {string} */ k) => `"${k}"`)}}`],
          })
          if (!rows) return response.writeHead(404, { 'content-length': 0 }).end()
          const exp = Math.floor(Date.now() / 1000) + expiresIn
          return sendJson(response, JSON.stringify(keys.map((/** @type {string} */ k) => signed({ url: `${bucket}/${k}`, exp }))))
        }
        case 'list': {
          const { prefix, offset } = JSON.parse(await textOf(request))
          const row = await ask(asService, {
            name: 'page',
            text: PAGE,
            values: [bucket, prefix, String(prefix.length + 1), String(offset)],
          })
          return sendJson(response, row?.[0] ?? '[]')
        }
        default: {
          await store(placeOf(key), request)
          return sendJson(response, '{}')
        }
      }
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port }))
})
process.once('disconnect', () => process.exit(0))

/** @param {import('node:http').ServerResponse} response @param {string} text */
const sendJson = (response, text) =>
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)

const HEADER = Buffer.from('{"alg":"HS256"}').toString('base64url')

/** @param {object} payload */
function signed(payload) {
  const text = `${HEADER}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`
  return `${text}.${createHmac('sha256', 'a key of thirty-two bytes or more').update(text).digest('base64url')}`
}

/** @param {import('node:http').IncomingMessage} request */
async function textOf(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

/** @param {string} databaseUrl */
async function openPool(databaseUrl) {
  /** @type {pg.Client[]} */
  const free = []
  /** @type {((client: pg.Client) => void)[]} */
  const waiting = []
  for (let i = 0; i < CONNECTIONS; i++) {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    free.push(client)
  }
  return (/** @type {import('./one-sync.js').Named} */ scope, /** @type {import('./one-sync.js').Named} */ question) =>
    new Promise((/** @type {(row: (string | null)[] | null) => void} */ resolve, reject) => {
      const send = (/** @type {pg.Client} */ client) => {
        const exchange = new OneSync(scope, question, (error, _text, row) => {
          const next = waiting.shift()
          if (next) next(client)
          else free.push(client)
          if (error) reject(error)
          else resolve(row)
        })
        client.query(/** @type {any} */ (exchange))
      }
      const client = free.pop()
      if (client) send(client)
      else waiting.push(send)
    })
}

/**
 * @param {string} place
 * @param {import('node:http').IncomingMessage} body
 */
async function store(place, body) {
  const folder = join(place, '..')
  const file = await open(`${place}.unfinished`, 'w')
  for await (const chunk of body) await file.write(chunk)
  await file.sync()
  await file.close()
  await rename(`${place}.unfinished`, place)
  const directory = await open(folder, 'r')
  await directory.sync()
  await directory.close()
}
