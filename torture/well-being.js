import { readdir, readFile, readlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { withDatabase } from './check-store.js'

/**
 * What a process holds when nobody asks anything of it.
 * @typedef {object} Sample
 * @property {number} residentMiB
 * @property {number} open files and sockets
 * @property {number} backends of PostgreSQL that serve it
 */

const MIB = 1024
/** For readers who were cut off, and their files. */
const CLOSED_WITHIN_MS = 5_000
/** Fewer samples than this have no beginning and no end. */
const LEAST_SAMPLES = 15
/** How much more of each is still flat: a share of what it was, and so much anyhow. @type {Readonly<Record<keyof Sample, { share: number, least: number }>>} */
const ROOM = { residentMiB: { share: 0.15, least: 16 }, open: { share: 0.1, least: 8 }, backends: { share: 0, least: 4 } }

/**
 * Looks at the process once no file of the store is open any more; one that stays open is a violation. Null where there is no procfs.
 * @param {import('./verdicts.js').Verdicts} verdicts @param {number} pid @param {import('./check-store.js').Store} store
 * @returns {Promise<Sample | null>}
 */
export async function takeSample(verdicts, pid, { databaseUrl }) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null)
  if (status === null) return null
  verdicts.looked('C10')
  const until = performance.now() + CLOSED_WITHIN_MS
  let targets = await openBy(pid)
  while (targets.some(isStored) && performance.now() < until) {
    await sleep(50)
    targets = await openBy(pid)
  }
  const left = targets.filter(isStored)
  if (left.length > 0) verdicts.violated('C10', `${left.length} files of the store stay open`)
  const backends = await withDatabase(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `/* torture.backends */ select count(*)::int as backends from pg_stat_activity where usename in ('stowage_web', 'stowage_service')`,
    )
    return rows[0].backends
  })
  return { residentMiB: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / MIB), open: targets.length, backends }
}

/** @param {number} pid @returns {Promise<string[]>} */
async function openBy(pid) {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
  return Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')))
}

/** @param {string} path */
const isStored = (path) => /\/bytes\/..\/..\/./.test(path)

/**
 * C10: the last fifth of the samples is not above the first, whatever was killed between them.
 * @param {import('./verdicts.js').Verdicts} verdicts @param {readonly Sample[]} samples
 * @returns {string | null} how they went, in words; null: too few
 */
export function checkFlat(verdicts, samples) {
  if (samples.length < LEAST_SAMPLES) return null
  const fifth = Math.ceil(samples.length / 5)
  const went = /** @type {(keyof Sample)[]} */ (Object.keys(ROOM)).map((what) => {
    const all = samples.map((sample) => sample[what])
    const [first, last] = [median(all.slice(0, fifth)), median(all.slice(-fifth))]
    verdicts.looked('C10')
    if (last > first + Math.max(ROOM[what].least, ROOM[what].share * first))
      verdicts.violated('C10', `${what} grew from ${first} to ${last} in ${samples.length} rounds`)
    return `${what} ${first} at first and ${last} at last`
  })
  return went.join(', ')
}

/** @param {readonly number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
