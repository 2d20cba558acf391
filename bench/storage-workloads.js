import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { askChild, startChild } from './child.js'

/**
 * @typedef {import('./bench.js').Place} Place
 * @typedef {import('./bench.js').Server} Server
 * @typedef {import('./bench.js').Workload} Workload
 */

const KIB = 1024
const MIB = 1024 * KIB
const SMALL = 200
const MIDDLE = 20
/** Who reads his own folder of a private bucket. */
export const SUBJECT = '317eadce-631a-4429-a0bb-f19a7a517b4a'

const BUCKETS = /** @type {const} */ ({ open: 'bench-open', own: 'bench-own', up: 'bench-up' })
const SHORT = { stream: 32 * MIB, largeUpload: 64 * MIB, lists: [1_000, 10_000] }
const FULL = { stream: 256 * MIB, largeUpload: 1024 * MIB, lists: [1_000, 10_000, 100_000] }
const DELETED = 100

/** The bytes of the i-th file of a size, the same everywhere. @param {number} size @param {number} i */
const bytesOf = (size, i) => Buffer.alloc(size, createHash('sha256').update(`${size}/${i}`).digest())

/**
 * Each workload with its targets, the limit first. Every server is asked for what it was given before anything is timed.
 * @param {Place} place
 * @returns {AsyncGenerator<Workload>}
 */
export async function* storageTargets({ servers, scratch, options, load, children }) {
  const [own] = servers
  if (!own?.databaseUrl) return
  const { databaseUrl } = own
  const size = options.short ? SHORT : FULL
  const folder = join(scratch, 'files')
  /** @type {Map<string, string>} */
  const addresses = new Map()
  const bare = {
    name: 'bare node:http + pg',
    isLimit: true,
    serverPid: /** @type {number | null} */ (null),
    databasePid: own.databasePid,
    port: 0,
  }

  /**
   * @param {string} method
   * @param {{ bare: string | null, path: (server: Server) => string, bareHeaders?: readonly string[], headers?: (server: Server) => readonly string[], bodies?: readonly Buffer[], times?: number, connections?: number, keepsMemory?: boolean }} what
   */
  const targets = (
    method,
    {
      bare: barePath,
      path,
      bareHeaders = [],
      headers = () => [],
      bodies = [],
      times = 1,
      connections = options.connections,
      keepsMemory = false,
    },
  ) => {
    const encoded = bodies.map((body) => body.toString('base64'))
    const length = bodies.length > 0 ? ['Content-Length: {length}'] : []
    const go = (
      /** @type {{ host: string, port: number }} */ { host, port },
      /** @type {string} */ address,
      /** @type {readonly string[]} */ more,
    ) =>
      load({
        host,
        port,
        head: [`${method} ${address} HTTP/1.1`, `Host: ${host}:${port}`, ...more, ...length].join('\r\n'),
        bodies: encoded,
        times,
        connections,
      })
    return [
      ...(barePath === null ? [] : [{ ...bare, go: go({ host: '127.0.0.1', port: bare.port }, barePath, bareHeaders) }]),
      ...servers.map((server) => ({
        name: server.name,
        serverPid: server.pid,
        databasePid: server.databasePid,
        keepsMemory,
        go: go(server, new URL(server.storage).pathname.replace(/\/$/, '') + path(server), headers(server)),
      })),
    ]
  }
  const json = 'Content-Type: application/json'
  const user = (/** @type {Server} */ server) => `Authorization: Bearer ${server.userToken}`
  const service = (/** @type {Server} */ server) => `Authorization: Bearer ${server.serviceKey}`
  const etag = `"${createHash('md5')
    .update(bytesOf(4 * KIB, 7))
    .digest('hex')}"`
  const disk = (/** @type {number} */ bytes, /** @type {number} */ atOnce) => ({
    name: 'the disk: write, fsync, rename, fsync of the folder',
    isLimit: true,
    serverPid: null,
    databasePid: null,
    go: (/** @type {number} */ seconds) => askChild(new URL('./disk-limit.js', import.meta.url), { folder, bytes, atOnce, seconds }),
  })
  const file = ['Content-Type: application/octet-stream']

  /** @type {Record<string, () => Workload['targets']>} */
  const workloads = {
    'Storage: GET 4 KiB, public': () =>
      targets('GET', { bare: `/public/${BUCKETS.open}/k/{<${SMALL}}`, path: () => `/object/public/${BUCKETS.open}/k/{<${SMALL}}` }),
    'Storage: GET 4 KiB, authenticated under row security': () =>
      targets('GET', {
        bare: `/caller/${BUCKETS.own}/${SUBJECT}/k/{<${SMALL}}`,
        path: () => `/object/authenticated/${BUCKETS.own}/${SUBJECT}/k/{<${SMALL}}`,
        headers: (server) => [user(server)],
      }),
    'Storage: GET 4 KiB, signed address': () =>
      targets('GET', { bare: `/public/${BUCKETS.own}/${SUBJECT}/k/7`, path: (server) => addresses.get(server.name) ?? '' }),
    'Storage: GET 304': () =>
      targets('GET', {
        bare: `/public/${BUCKETS.open}/k/7`,
        bareHeaders: [`If-None-Match: ${etag}`],
        path: () => `/object/public/${BUCKETS.open}/k/7`,
        headers: () => [`If-None-Match: ${etag}`],
      }),
    'Storage: GET 1 MiB, public': () =>
      targets('GET', { bare: `/public/${BUCKETS.open}/m/{<${MIDDLE}}`, path: () => `/object/public/${BUCKETS.open}/m/{<${MIDDLE}}` }),
    [`Storage: GET ${size.stream / MIB} MiB, one stream`]: () =>
      targets('GET', {
        bare: `/public/${BUCKETS.open}/big`,
        path: () => `/object/public/${BUCKETS.open}/big`,
        connections: 1,
        keepsMemory: true,
      }),
    'Storage: upload 4 KiB, on disk when answered': () => [
      disk(4 * KIB, options.connections),
      ...targets('POST', {
        bare: '/up/x/n{n}',
        path: () => `/object/${BUCKETS.up}/n{n}`,
        headers: (server) => [service(server), ...file],
        bodies: [bytesOf(4 * KIB, 1)],
      }),
    ],
    'Storage: upload 16 MiB, four at once, on disk when answered': () => [
      disk(16 * MIB, 4),
      ...targets('POST', {
        bare: '/up/x/l{n}',
        path: () => `/object/${BUCKETS.up}/l{n}`,
        headers: (server) => [service(server), ...file],
        bodies: [bytesOf(MIB, 1)],
        times: 16,
        connections: 4,
        keepsMemory: true,
      }),
    ],
    [`Storage: upload ${size.largeUpload / MIB} MiB, one stream, on disk when answered`]: () => [
      disk(size.largeUpload, 1),
      ...targets('POST', {
        bare: '/up/x/h1',
        path: () => `/object/${BUCKETS.up}/h{n}`,
        headers: (server) => [service(server), ...file],
        bodies: [bytesOf(MIB, 1)],
        times: size.largeUpload / MIB,
        connections: 1,
        keepsMemory: true,
      }),
    ],
    'Storage: sign one address': () =>
      targets('POST', {
        bare: `/sign/${BUCKETS.own}/${SUBJECT}/k/{<${SMALL}}`,
        path: () => `/object/sign/${BUCKETS.own}/${SUBJECT}/k/{<${SMALL}}`,
        headers: (server) => [user(server), json],
        bodies: [Buffer.from('{"expiresIn":600}')],
      }),
    'Storage: sign 500 addresses': () =>
      targets('POST', {
        bare: `/sign/${BUCKETS.own}`,
        path: () => `/object/sign/${BUCKETS.own}`,
        headers: (server) => [user(server), json],
        bodies: [
          Buffer.from(JSON.stringify({ expiresIn: 600, paths: Array.from({ length: 500 }, (_, i) => `${SUBJECT}/k/${i % SMALL}`) })),
        ],
      }),
    ...Object.fromEntries(
      size.lists.flatMap((n) =>
        /** @type {const} */ ([
          ['first page', 'flat/', 0],
          [`offset ${(n / 2).toLocaleString('en')}`, 'flat/', n / 2],
          ['folders', 'tree/', 0],
        ]).map(([title, prefix, offset]) => [
          `Storage: list 100 of ${n.toLocaleString('en')}, ${title}`,
          () =>
            targets('POST', {
              bare: prefix === 'flat/' ? `/list/bench-list-${n}` : null,
              path: () => `/object/list/bench-list-${n}`,
              headers: (server) => [service(server), json],
              bodies: [Buffer.from(JSON.stringify({ prefix, limit: 100, offset, sortBy: { column: 'name', order: 'asc' } }))],
              connections: 1,
            }),
        ]),
      ),
    ),
    [`Storage: delete ${DELETED} a call`]: () =>
      servers.map((server) => ({ name: server.name, serverPid: server.pid, databasePid: server.databasePid, ...deleting(server) })),
  }
  const wanted = Object.entries(workloads).filter(([name]) => name.toLowerCase().includes(options.only.toLowerCase()))
  if (wanted.length === 0) return
  await mkdir(folder)
  const claims = { role: 'authenticated', sub: SUBJECT }
  const { child, answer } = await startChild(new URL('./bare-storage.js', import.meta.url), { folder, databaseUrl, claims })
  children.push(child)
  Object.assign(bare, { serverPid: child.pid ?? null, port: answer.port })
  for (const server of servers) {
    await fill(server, size)
    await expectBytes(`${server.storage}/object/public/${BUCKETS.open}/k/7`, {}, bytesOf(4 * KIB, 7))
    await expectBytes(`${server.storage}/object/authenticated/${BUCKETS.own}/${SUBJECT}/k/7`, bearer(server.userToken), bytesOf(4 * KIB, 7))
    addresses.set(server.name, await signedAddress(server))
  }
  const bareUrl = `http://127.0.0.1:${bare.port}`
  await fillBare(bareUrl, size)
  await expectBytes(`${bareUrl}/public/${BUCKETS.open}/k/7`, {}, bytesOf(4 * KIB, 7))
  await expectBytes(`${bareUrl}/caller/${BUCKETS.own}/${SUBJECT}/k/7`, {}, bytesOf(4 * KIB, 7))
  for (const [workload, make] of wanted) yield { workload, targets: make() }
}

const bearer = (/** @type {string} */ token) => ({ authorization: `Bearer ${token}` })

/** @param {Response} response @param {string} what */
async function must(response, what) {
  if (!response.ok) throw new Error(`${what}: ${response.status} ${(await response.text()).slice(0, 300)}`)
  return response
}

/** @param {string} url @param {Record<string, string>} headers @param {Buffer} expected */
async function expectBytes(url, headers, expected) {
  const got = await must(await fetch(url, { headers }), url)
  if (!Buffer.from(await got.arrayBuffer()).equals(expected)) throw new Error(`${url} gave other bytes than were stored`)
}

/** The path, below the storage API, of an address that reads one small file. @param {Server} server */
async function signedAddress(server) {
  const path = `/object/sign/${BUCKETS.own}/${SUBJECT}/k/7`
  const headers = { ...bearer(server.userToken), 'content-type': 'application/json' }
  const answer = await must(await fetch(`${server.storage}${path}`, { method: 'POST', headers, body: '{"expiresIn":86400}' }), path)
  const { signedURL } = /** @type {{ signedURL: string }} */ (await answer.json())
  await expectBytes(`${server.storage}${signedURL}`, {}, bytesOf(4 * KIB, 7))
  return signedURL
}

/**
 * Buckets and files by the API; rows of listings by SQL, with no bytes behind them.
 * @param {Server} server
 * @param {typeof FULL} size
 */
async function fill(server, size) {
  const headers = bearer(server.serviceKey)
  for (const id of Object.values(BUCKETS)) {
    const known = await fetch(`${server.storage}/bucket/${id}`, { headers })
    await known.arrayBuffer()
    if (known.ok) continue
    const body = JSON.stringify({ id, name: id, public: id === BUCKETS.open })
    await must(
      await fetch(`${server.storage}/bucket`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }),
      id,
    )
  }
  const put = async (/** @type {string} */ path, /** @type {Buffer} */ body) =>
    must(
      await fetch(`${server.storage}/object/${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/octet-stream', 'x-upsert': 'true' },
        body,
      }),
      path,
    )
  await eachOf(SMALL, async (i) => {
    await put(`${BUCKETS.open}/k/${i}`, bytesOf(4 * KIB, i))
    await put(`${BUCKETS.own}/${SUBJECT}/k/${i}`, bytesOf(4 * KIB, i))
  })
  await eachOf(MIDDLE, async (i) => void (await put(`${BUCKETS.open}/m/${i}`, bytesOf(MIB, i))))
  await put(`${BUCKETS.open}/big`, bytesOf(size.stream, 0))
  if (server.databaseUrl === null) return
  const client = new pg.Client({ connectionString: server.databaseUrl })
  await client.connect()
  await client.query(`
    drop policy if exists bench_own_folder on storage.objects;
    create policy bench_own_folder on storage.objects for select to authenticated using (
      bucket_id = '${BUCKETS.own}' and (storage.foldername(name))[1] = (select current_setting('request.jwt.claims', true)::json ->> 'sub'));`)
  for (const n of size.lists) await fillList(client, n)
  await client.query('vacuum analyze storage.objects')
  await client.end()
}

/** @param {pg.Client} client @param {number} n */
export async function fillList(client, n) {
  await client.query(`insert into storage.buckets (id, name) values ('bench-list-${n}', 'bench-list-${n}') on conflict do nothing`)
  await client.query(`
    insert into storage.objects (bucket_id, name, version, metadata)
    select 'bench-list-${n}',
           case when i % 10 < 6 then 'flat/' || lpad(i::text, 7, '0') else 'tree/d' || lpad((i / 10 % 1000)::text, 4, '0') || '/file' || i end,
           md5(i::text)::uuid::text,
           '{"eTag": "\\"x\\"", "size": 4096, "mimetype": "text/plain", "cacheControl": "no-cache", "lastModified": "2026-01-01T00:00:00.000Z", "contentLength": 4096, "httpStatusCode": 200}'
      from generate_series(0, ${n - 1}) i
     where not exists (select from storage.objects where bucket_id = 'bench-list-${n}')`)
}

/** @param {string} url @param {typeof FULL} size */
async function fillBare(url, size) {
  const put = async (/** @type {string} */ key, /** @type {Buffer} */ body) =>
    must(await fetch(`${url}/up/x/${key}`, { method: 'POST', body }), key)
  await eachOf(SMALL, async (i) => {
    await put(`k/${i}`, bytesOf(4 * KIB, i))
    await put(`${SUBJECT}/k/${i}`, bytesOf(4 * KIB, i))
  })
  await eachOf(MIDDLE, async (i) => void (await put(`m/${i}`, bytesOf(MIB, i))))
  await put('big', bytesOf(size.stream, 0))
}

/** @param {number} count @param {(i: number) => Promise<void>} work */
async function eachOf(count, work) {
  const numbers = Array(count).keys()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const i of numbers) await work(i)
    }),
  )
}

let deletions = 0

/** What is deleted is put there before the time is taken. @param {Server} server */
function deleting(server) {
  const headers = bearer(server.serviceKey)
  /** @type {string[][]} */
  let batches = []
  return {
    prepare: async (/** @type {number} */ seconds) => {
      batches = Array.from({ length: Math.max(1, Math.round(seconds * 5)) }, () => Array.from({ length: DELETED }, () => `d${deletions++}`))
      const keys = batches.flat()
      await eachOf(keys.length, async (i) => {
        const sent = { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: 'x' }
        await must(await fetch(`${server.storage}/object/${BUCKETS.up}/${keys[i]}`, sent), 'upload')
      })
    },
    go: async () => {
      const start = performance.now()
      for (const prefixes of batches) {
        const sent = { method: 'DELETE', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify({ prefixes }) }
        const answer = await must(await fetch(`${server.storage}/object/${BUCKETS.up}`, sent), 'delete')
        const deleted = /** @type {unknown[]} */ (await answer.json())
        if (deleted.length !== DELETED) throw new Error(`${deleted.length} of ${DELETED} were deleted`)
      }
      return { requests: batches.length, seconds: (performance.now() - start) / 1000 }
    },
  }
}
