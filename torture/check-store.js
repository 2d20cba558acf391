import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** What the service keeps beside the versions, and drafts of it. */
const NOTE = /^stowage-(store|database)\.json/

/**
 * What lies under the service's answers: rows, files, indexes.
 * @typedef {import('./verdicts.js').Verdicts} Verdicts
 * @typedef {object} Store
 * @property {string} bytes the folder of all versions
 * @property {string | null} partsIn the folder of bytes that came in parts and are no version yet; null: there are none
 * @property {string} databaseUrl
 */

/** @template T @param {string} url @param {(client: pg.Client) => Promise<T>} work @returns {Promise<T>} */
export async function withDatabase(url, work) {
  const client = new pg.Client({ connectionString: url })
  // whoever holds it learns of a lost connection by the next query
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** C6: every row's version is a file of the length and the hash that were noted. @param {Verdicts} verdicts @param {Store} store */
export async function checkRows(verdicts, { bytes, databaseUrl }) {
  const { rows } = await withDatabase(databaseUrl, (client) =>
    client.query(`/* torture.rows */
      select o.bucket_id || '/' || o.name as cell,
             o.version,
             v.size,
             encode(v.sha256, 'hex') as sha256,
             (o.metadata ->> 'size')::bigint as told
        from storage.objects o
        left join stowage.versions v
          on v.version::text = o.version
         and v.object_id = o.id`),
  )
  for (const { cell, version, size, sha256, told } of rows) {
    verdicts.looked('C6')
    const file = await readFile(join(bytes, version.slice(0, 2), version.slice(2, 4), version)).catch(() => null)
    if (size === null) verdicts.violated('C6', `the ledger does not know version ${version} of ${cell}`)
    else if (!file) verdicts.violated('C6', `${cell} has no bytes: ${version} is gone`)
    else if (file.length !== Number(size) || size !== told)
      verdicts.violated('C6', `${cell} has ${file.length} bytes, ${size} by the ledger, ${told} by its row`)
    else if (createHash('sha256').update(file).digest('hex') !== sha256)
      verdicts.violated('C6', `${cell} has other bytes than were written: ${version}`)
  }
}

const SWEEP_PATIENCE_MS = 20_000

/** C7: the sweeper, told to list the store now and not tomorrow, leaves no bytes without a row. @param {Verdicts} verdicts @param {Store} store */
export async function checkOrphans(verdicts, { bytes, partsIn, databaseUrl }) {
  const until = performance.now() + SWEEP_PATIENCE_MS
  for (;;) {
    const orphans = await withDatabase(databaseUrl, async (client) => {
      // that of tomorrow's listing, and what a killed sweeper holds for another minute
      await client.query('delete from stowage.leases')
      const { rows } = await client.query('select version::text from stowage.versions')
      const known = new Set(rows.map(({ version }) => version))
      const unfinished = partsIn === null ? [] : await filesIn(partsIn)
      return [...(await filesIn(bytes)).filter((version) => !known.has(version)), ...unfinished]
    })
    if (orphans.length === 0) return verdicts.looked('C7')
    if (performance.now() > until)
      return verdicts.violated('C7', `${orphans.length} versions without a row stay: ${orphans.slice(0, 3).join(' ')}`)
    await sleep(300)
  }
}

/** A store's own drafts lie beside its buckets' folders, under a name with a dot. @param {string} folder that may not be there @returns {Promise<string[]>} */
async function filesIn(folder) {
  // some stores remove folders that are empty, under whoever walks through them
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code !== 'ENOENT') throw error
    return null
  })
  if (entries === null) return existsSync(folder) ? filesIn(folder) : []
  const isDraft = (/** @type {string} */ path) => path.slice(folder.length).includes('/.')
  return entries.flatMap((entry) => (entry.isFile() && !NOTE.test(entry.name) && !isDraft(entry.parentPath) ? [entry.name] : []))
}

/** C12: indexes and heap agree, keys point at something, nobody is left in a transaction. @param {Verdicts} verdicts @param {Store} store */
export async function checkDatabase(verdicts, { databaseUrl }) {
  await withDatabase(databaseUrl, async (client) => {
    const problem = async (/** @type {string} */ name, /** @type {string} */ text) => {
      verdicts.looked('C12')
      try {
        const { rows } = await client.query(text)
        if (rows.length > 0) verdicts.violated('C12', `${name}: ${JSON.stringify(rows.slice(0, 3))}`)
      } catch (error) {
        verdicts.violated('C12', `${name}: ${error instanceof Error ? error.message : error}`)
      }
    }
    await client.query('create extension if not exists amcheck')
    await problem(
      'an index differs from its table',
      `select indexrelid::regclass from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
        where a.amname = 'btree' and c.relnamespace in ('storage'::regnamespace, 'stowage'::regnamespace)
          and bt_index_parent_check(i.indexrelid, true, true) is null`,
    )
    await problem(
      'a table is damaged',
      `select c.oid::regclass, v.* from pg_class c, lateral verify_heapam(c.oid) v
        where c.relkind = 'r' and c.relnamespace in ('storage'::regnamespace, 'stowage'::regnamespace)`,
    )
    await problem(
      'an object without a bucket',
      'select o.name from storage.objects o left join storage.buckets b on b.id = o.bucket_id where b.id is null',
    )
    await problem(
      'a version without an object',
      'select v.version from stowage.versions v left join storage.objects o on o.id = v.object_id and o.version = v.version::text where o.id is null',
    )
    await problem(
      'half a mutation',
      'select operation from public.torn group by operation having count(*) <> 2 or count(distinct half) <> 2',
    )
    await problem(
      'a transaction left open',
      `select pid, query from pg_stat_activity where state like 'idle in transaction%' and clock_timestamp() - state_change > interval '10 seconds'`,
    )
    await problem(
      'a lock nobody holds on to',
      `select l.pid from pg_locks l left join pg_stat_activity a using (pid) where l.locktype = 'advisory' and a.pid is null`,
    )
  })
}

/** Inserts of GraphQL: what was answered is there. @param {Verdicts} verdicts @param {Store} store @param {readonly import('./operation.js').Done[]} history */
export async function checkInserts(verdicts, { databaseUrl }, history) {
  const inserts = history.filter(({ operation }) => operation.kind === 'graphql insert')
  const { rows } = await withDatabase(databaseUrl, (client) =>
    client.query('select distinct operation from public.torn where operation = any ($1)', [inserts.map(({ operation }) => operation.id)]),
  )
  const there = new Set(rows.map(({ operation }) => operation))
  for (const { operation, outcome } of inserts) {
    verdicts.looked('C3')
    if (outcome === 'ok' && !there.has(operation.id)) verdicts.violated('C3', `#${operation.id}: an inserted row that was answered is gone`)
    if (outcome === 'fail' && there.has(operation.id)) verdicts.violated('C4', `#${operation.id}: an insert that was refused is there`)
  }
}

/** What a process that is gone had promised to empty is due now, as if its patience had run out. @param {Store} store */
export const hurryEmptyings = ({ databaseUrl }) =>
  withDatabase(databaseUrl, (client) => client.query(`update stowage.emptyings set due_at = clock_timestamp() - interval '1 second'`))

/** @param {Store} store */
export async function untilEmptied({ databaseUrl }) {
  await withDatabase(databaseUrl, async (client) => {
    for (let tries = 0; tries < 200; tries++) {
      const { rows } = await client.query('select from stowage.emptyings')
      if (rows.length === 0) return
      await sleep(50)
    }
    throw new Error('an emptying does not end')
  })
}
