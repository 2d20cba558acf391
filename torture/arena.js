import { mkdir } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { withDatabase } from './check-store.js'
import { makeDisk } from './disk.js'
import { openLedger } from './ledger.js'
import { callerOf, choosePlace, keysOf, killPostgres, postgresPids, startService, withChildren } from './service.js'
import { strikeService } from './strike-service.js'
import { USERS, WORLD_SQL } from './world.js'

/**
 * A service on a disk of its own, and what is needed to start it, end it, ask it and look under it.
 * @typedef {import('./rounds.js').Ground & Service} Arena
 *
 * @typedef {object} Service
 * @property {import('./service.js').Place} place
 * @property {import('./disk.js').Disk | null} disk
 * @property {() => import('./service.js').Running} service the one that was started last
 * @property {() => Promise<import('./service.js').Running>} start
 * @property {() => Promise<void>} cutPower ends everything without a warning, and mounts the disk as it was left
 * @property {(withPostgres: boolean) => Promise<void>} kill
 *
 * @typedef {object} Preloaded
 * @property {readonly string[]} [preloads]
 * @property {Record<string, string>} [orders]
 * @property {Record<string, string>} [settings]
 */

/**
 * @param {object} options
 * @param {string} options.folder exists; the ledger lies there, outside the faulted disk
 * @param {boolean} options.hasDisk whether power can be cut
 * @param {number} options.servingLimitMs from a start to the first ready
 * @param {import('./verdicts.js').Verdicts} options.verdicts
 * @param {Preloaded} [preloaded]
 * @returns {Promise<Arena>}
 */
export async function openArena({ folder, hasDisk, servingLimitMs, verdicts }, { preloads = [], orders = {}, settings = {} } = {}) {
  await mkdir(folder, { recursive: true })
  const ledger = await openLedger(join(folder, 'ledger.jsonl'))
  const disk = hasDisk ? await makeDisk(join(folder, 'faulted')) : null
  const data = join(disk?.folder ?? folder, 'data')
  await mkdir(data, { recursive: true, mode: 0o700 })
  const place = await choosePlace(data, settings)
  /** @type {import('./service.js').Running | null} */
  let running = null

  const service = () => {
    if (!running) throw new Error('no service was started')
    return running
  }
  const kill = async (/** @type {boolean} */ withPostgres) => {
    running?.kill('SIGKILL')
    if (withPostgres) await killPostgres(await postgresPids(place))
    await running?.exited
  }
  const start = async () => {
    running = await startService(place, preloads, orders)
    checkStart(verdicts, running, servingLimitMs)
    return running
  }
  const close = async () => {
    await kill(true)
    await ledger.close()
    await disk?.remove()
  }

  try {
    // the first start makes the database, which takes longer than any other
    running = await startService(place, preloads, orders)
    const keys = await keysOf(place)
    await withDatabase(keys.databaseUrl, (client) => client.query(WORLD_SQL))
    const secrets = secretsOf(keys)
    const caller = callerOf(place, keys, USERS)
    /** @type {Arena} */
    const arena = {
      place,
      disk,
      store: { bytes: join(data, 'bytes'), partsIn: null, databaseUrl: keys.databaseUrl },
      caller,
      ledger,
      service,
      start,
      kill,
      cutPower: async () => {
        // afterwards nothing on the disk says any more which processes these are
        const [server = 0] = await postgresPids(place)
        await disk?.cut()
        await kill(false)
        await killPostgres(await withChildren(server))
        await disk?.revive()
      },
      pid: () => service().pid,
      isGone: () => service().hasEnded(),
      readLog: () => readLog(verdicts, service(), secrets),
      strike: (fault, random) => strikeService(fault, arena, random, verdicts),
      close: async () => {
        caller.agent.destroy()
        await close()
      },
    }
    return arena
  } catch (error) {
    await close()
    throw error
  }
}

/** What nobody may find in a log. @param {import('./service.js').Keys} keys */
export const secretsOf = ({ serviceKey, anonKey, jwtSecret, databaseUrl }) => [
  serviceKey,
  anonKey,
  jwtSecret,
  new URL(databaseUrl).password,
  'STOWED ',
]

/** @param {import('./verdicts.js').Verdicts} verdicts @param {import('./service.js').Running} service @param {readonly string[]} secrets */
export function readLog(verdicts, { logged, faults }, secrets) {
  verdicts.looked('C11', secrets.length)
  for (const secret of secrets) if (logged().includes(secret)) verdicts.violated('C11', `the log holds ${secret.slice(0, 12)}…`)
  for (const fault of faults()) verdicts.violated('C10', `nobody caught ${fault}`)
}

/** @param {import('./verdicts.js').Verdicts} verdicts @param {import('./service.js').Running} service @param {number} limitMs */
export function checkStart(verdicts, { servingAfterMs }, limitMs) {
  verdicts.looked('C10')
  // others who want the processors too make everything as much slower
  const crowd = Math.max(1, loadavg()[0] ?? 1) / availableParallelism()
  if (servingAfterMs > limitMs * Math.max(1, crowd)) verdicts.violated('C10', `it served ${Math.round(servingAfterMs)} ms after its start`)
}
