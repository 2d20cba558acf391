// `node bench/growth.js [--sizes 10000,100000,1000000] [--write]`: what each statement of the storage face costs as storage.objects grows.
// Pages of the database are counted (EXPLAIN ANALYZE, BUFFERS), since they are the same on every machine; times stand beside them.
// The service's own statements are asked, in its built-in PostgreSQL, on rows as the service writes them.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startOwnService } from '../demo/own-service.js'
import { requestEmptying } from '../dist/storage/rows/emptyings.sql.js'
import { nextOutbox, publishNew, publishOver, reserveVersion } from '../dist/storage/rows/ledger.sql.js'
import { listLevel, listPage } from '../dist/storage/rows/list.sql.js'
import { findObject } from '../dist/storage/rows/objects.sql.js'
import { classifyStored, condemnSuspects, countVersions, findWork } from '../dist/storage/rows/sweep.sql.js'
import { fittedExponent } from './fitted-exponent.js'

/**
 * @typedef {{ text: string, values: readonly (string | null)[] }} Statement
 * @typedef {{ name: string, as: 'caller' | 'service', before?: readonly Statement[], statement: Statement }} Case
 * @typedef {{ pages: number, ms: number }} Cost
 * @typedef {{ name: string, costs: Cost[], exponent: number }} Growth
 * @typedef {{ name: string, rows: number, bytesPerRow: number }} Relation
 */

const BUCKET = /** @type {any} */ ('growth')
const FOLDER = 1_000
const ROUNDS = 5
const CHUNK = 500_000
const RELATIONS = [
  'storage.objects',
  'storage.objects_pkey',
  'storage.bucketid_objname',
  'storage.stowage_objects_bucket_id_name_folded',
  'stowage.versions',
  'stowage.versions_pkey',
]

/** A folder a thousand objects; the row's columns are those of an upload of a photograph by a signed-in user. */
const FILL = `
  with made as (
    select n,
           'photos/2026/album-' || lpad((n / ${FOLDER})::text, 7, '0') || '/picture-' || lpad((n % ${FOLDER})::text, 4, '0') || '.jpg' as name,
           gen_random_uuid() as version,
           gen_random_uuid() as id,
           '{"eTag": "\\"' || md5(n::text) || '\\"", "size": 240000, "mimetype": "image/jpeg", "cacheControl": "max-age=3600", "lastModified": "2026-01-01T00:00:00.000Z", "contentLength": 240000, "httpStatusCode": 200}' as metadata
      from generate_series($1::bigint, $2::bigint) as n
  ), objects as (
    insert into storage.objects (id, bucket_id, name, version, owner, owner_id, metadata)
    select id, '${BUCKET}', name, version, '00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000a', metadata::jsonb
      from made
  )
  insert into stowage.versions (version, object_id, size, md5, sha256)
  select version, id, 240000, decode(md5(n::text), 'hex'), sha256(n::text::bytea)
    from made`

const key = (/** @type {number} */ n) =>
  /** @type {any} */ (
    `photos/2026/album-${String(Math.floor(n / FOLDER)).padStart(7, '0')}/picture-${String(n % FOLDER).padStart(4, '0')}.jpg`
  )

/**
 * @param {number} objects
 * @param {{ id: string, version: string }} middle an object in the middle of the bucket
 * @param {readonly any[]} page a thousand stored versions
 * @returns {readonly Case[]}
 */
function casesFor(objects, middle, page) {
  const half = Math.floor(objects / 2)
  const byName = /** @type {const} */ ({ column: 'name', direction: 'asc' })
  const order = /** @type {const} */ ({ column: 'created_at', direction: 'asc' })
  const album = key(half).replace(/picture.*/, '')
  const fresh = /** @type {any} */ ('00000000-0000-4000-8000-0000000000aa')
  const stored = { size: /** @type {any} */ (240_000), md5: '0'.repeat(32), sha256: '0'.repeat(64), crc32: 0 }
  const publication = { version: fresh, bucketId: BUCKET, ownerId: null, metadata: '{"size": 240000}', userMetadata: null, stored }
  const ms = (/** @type {number} */ n) => /** @type {any} */ (n)
  return [
    { name: 'read: find an object', as: 'caller', statement: findObject(BUCKET, key(half), 'to serve') },
    {
      name: 'upload: publish a new object',
      as: 'service',
      before: [reserveVersion(fresh, BUCKET, 'new')],
      statement: publishNew({ ...publication, key: `${album}new.jpg` }),
    },
    {
      name: 'upload: publish over an object',
      as: 'service',
      before: [reserveVersion(fresh, BUCKET, 'over')],
      statement: publishOver({ ...publication, key: key(half) }),
    },
    {
      name: 'delete one object',
      as: 'service',
      statement: { text: 'delete from storage.objects where bucket_id = $1::text and name = $2::text', values: [BUCKET, key(half)] },
    },
    {
      name: 'list: 100 of a folder, by offset',
      as: 'caller',
      statement: listLevel(BUCKET, { prefix: album, search: '', limit: 100, offset: 0, order: byName }),
    },
    {
      name: 'list: 100 folders, by offset 0',
      as: 'caller',
      statement: listLevel(BUCKET, { prefix: 'photos/2026/', search: '', limit: 100, offset: 0, order: byName }),
    },
    {
      name: 'list: the folders behind half of them, by offset',
      as: 'caller',
      statement: listLevel(BUCKET, { prefix: 'photos/2026/', search: '', limit: 10, offset: Math.floor(half / FOLDER), order: byName }),
    },
    {
      name: 'list: 100 of everything from the middle, by cursor',
      as: 'caller',
      statement: listPage(BUCKET, { prefix: '', oneLevel: false, limit: 100, after: { name: key(half), time: null }, order: byName }),
    },
    {
      name: 'list: 10 folders from the middle, by cursor',
      as: 'caller',
      statement: listPage(BUCKET, { prefix: 'photos/2026/', oneLevel: true, limit: 10, after: { name: album, time: null }, order: byName }),
    },
    {
      name: 'list: 100 of a folder, by time',
      as: 'caller',
      statement: listPage(BUCKET, { prefix: album, oneLevel: true, limit: 100, after: null, order }),
    },
    {
      name: 'list: 100 of the whole bucket, by time',
      as: 'caller',
      statement: listPage(BUCKET, { prefix: '', oneLevel: false, limit: 100, after: null, order }),
    },
    { name: 'sweep: is there work', as: 'service', statement: findWork(ms(3_600_000), ms(60_000), ms(86_400_000)) },
    {
      name: 'sweep: 500 of the outbox (a hundredth of all)',
      as: 'service',
      before: [
        {
          text: `insert into stowage.outbox (version, reason, queued_at) select gen_random_uuid(), 'deleted', now() - interval '1 day' from generate_series(1, $1::bigint)`,
          values: [String(Math.floor(objects / 100))],
        },
        { text: 'analyze stowage.outbox', values: [] },
      ],
      statement: nextOutbox(null, ms(60_000), 500),
    },
    { name: 'sweep: a page of 1,000 of the store', as: 'service', statement: classifyStored(page) },
    { name: 'sweep: count all versions', as: 'service', statement: countVersions() },
    {
      name: 'sweep: condemn ten suspects',
      as: 'service',
      before: [
        {
          text: `insert into stowage.suspects (version, first_seen_at) select gen_random_uuid(), now() - interval '1 day' from generate_series(1, 10)`,
          values: [],
        },
        { text: 'analyze stowage.suspects', values: [] },
      ],
      statement: condemnSuspects(ms(3_600_000), 'infinity'),
    },
    { name: 'empty: promise to empty the bucket', as: 'service', statement: requestEmptying(BUCKET, ms(60_000)) },
    {
      name: 'policy: an object by its id',
      as: 'service',
      statement: { text: 'select name from storage.objects where id = $1::uuid', values: [middle.id] },
    },
  ]
}

/**
 * In a transaction that is undone, so that the next round finds what this one found.
 * @param {pg.Client} client
 * @param {Case} one
 * @returns {Promise<Cost>}
 */
async function costOf(client, { as, before = [], statement }) {
  /** @type {Cost} */
  let best = { pages: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round++) {
    await client.query('begin')
    for (const { text, values } of before) await client.query(text, [...values])
    if (as === 'caller') await client.query(`select set_config('role', 'authenticated', true)`)
    else await client.query(`select set_config('storage.allow_delete_query', 'true', true)`)
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${statement.text}`, [...statement.values])
    await client.query('rollback')
    const [{ Plan: plan, 'Execution Time': ms }] = rows[0]['QUERY PLAN']
    best = { pages: Math.min(best.pages, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']), ms: Math.min(best.ms, ms) }
  }
  return best
}

/**
 * @param {pg.Client} client
 * @param {number} from
 * @param {number} to
 */
async function fill(client, from, to) {
  // as a restore does it: neither triggers nor foreign keys
  await client.query('set session_replication_role = replica')
  for (let n = from; n < to; n += CHUNK) await client.query(FILL, [n, Math.min(n + CHUNK, to) - 1])
  await client.query('set session_replication_role = origin')
  await client.query('vacuum (analyze) storage.objects')
  await client.query('vacuum (analyze) stowage.versions')
}

/**
 * @param {readonly number[]} sizes
 * @returns {Promise<{ server: string, sizes: readonly number[], statements: readonly Growth[], relations: readonly Relation[] }>}
 */
export async function measureGrowth(sizes) {
  const service = await startOwnService({ STOWAGE_LOG_LEVEL: 'warn', STOWAGE_SWEEP_INTERVAL: '1h' })
  const client = new pg.Client({ connectionString: service.keys.databaseUrl })
  await client.connect()
  try {
    await client.query(`insert into storage.buckets (id, name) values ($1, $1)`, [BUCKET])
    await client.query(`create policy growth on storage.objects for select to authenticated using (bucket_id = '${BUCKET}')`)
    await client.query('set jit = off')
    await client.query('set search_path = storage, public, extensions')
    /** @type {Map<string, Cost[]>} */
    const costs = new Map()
    let filled = 0
    for (const objects of sizes) {
      await fill(client, filled, objects)
      filled = objects
      const middle = await client.query('select id, version from storage.objects where bucket_id = $1 and name = $2', [
        BUCKET,
        key(Math.floor(objects / 2)),
      ])
      const page = await client.query('select version from stowage.versions order by version limit 1000')
      const cases = casesFor(
        objects,
        middle.rows[0],
        page.rows.map(({ version }) => version),
      )
      for (const one of cases) {
        const cost = await costOf(client, one)
        costs.set(one.name, [...(costs.get(one.name) ?? []), cost])
        console.error(`${objects} objects, ${one.name}: ${cost.pages} pages, ${cost.ms} ms`)
      }
    }
    const relations = await client.query(`select name, pg_relation_size(name::regclass) as bytes from unnest($1::text[]) as name`, [
      RELATIONS,
    ])
    const { rows } = await client.query('show server_version')
    return {
      server: rows[0].server_version,
      sizes,
      statements: [...costs].map(([name, each]) => ({
        name,
        costs: each.map(({ pages, ms }) => ({ pages, ms: Math.round(ms * 1_000) / 1_000 })),
        exponent: fittedExponent(
          sizes,
          each.map(({ pages }) => pages),
        ),
      })),
      relations: relations.rows.map(({ name, bytes }) => ({ name, rows: filled, bytesPerRow: Math.round((bytes / filled) * 10) / 10 })),
    }
  } finally {
    await client.end()
    await service.stop()
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { values } = parseArgs({ options: { sizes: { type: 'string', default: '10000,100000,1000000' }, write: { type: 'boolean' } } })
  const sizes = values.sizes.split(',').map(Number)
  if (!sizes.every((size, i) => Number.isInteger(size) && size >= 10_000 && size > (sizes[i - 1] ?? 0)))
    throw new Error(`--sizes takes ascending whole numbers from 10000 on, not ${values.sizes}`)
  const growth = await measureGrowth(sizes)
  const text = `${JSON.stringify(growth, null, 2)}\n`
  if (values.write) await writeFile(new URL('./growth.json', import.meta.url), text)
  else console.log(text)
}
